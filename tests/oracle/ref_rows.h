/* tests/oracle/ref_rows.h - the recurrence over roles and iterations, one iteration of all roles at
 * a time (private to tests/oracle/). */
#ifndef TESTS_ORACLE_REF_ROWS_H
#define TESTS_ORACLE_REF_ROWS_H

#include "forecast/time/decision.h"

enum { NEVER = -1 }; /* instead of a tick */
#define LATER       \
	(INT64_C(1) \
	 << 61) /* what does not happen before the next repair, because a role has died */

struct ref_op {
	enum pattern_kind kind;
	/* place: ft/log/place.h, of sends and waits that no reduction makes */
	int32_t peer, tag, place;
	bool reduction;
	int64_t cost; /* of a send: until the message is there */
	size_t match; /* of a receive: the send, among the operations of its peer */
	/* of a send, when it was done: before the last repair, since then, by the duplicate */
	int64_t first, own, copy;
};

/* What a role, or its duplicate, has done of an iteration. */
struct ref_part {
	bool done;
	size_t next, posted; /* the next operation; the first one that no wait has looked at */
	int64_t clock;
	/* the iteration begins, its checkpoint is taken, its program starts, it ends */
	int64_t begin, saved, start, end;
	int64_t work, waited;
};

/* An iteration of all roles. */
struct ref_row {
	struct ref_op *op;
	size_t *first;               /* np + 1: where the operations of each role begin */
	struct ref_part *own, *copy; /* np */
};

struct ref {
	const struct model *m;
	int np;
	struct ref_row *row; /* steps; those up to `loaded` exist */
	int64_t loaded;
	int64_t begun;         /* rows before this one have been executed since the last repair */
	struct decision now;   /* of the last repair; np 0: there was none */
	int64_t *from, *ready; /* np: the iteration in which a role goes on, and when */
	/* np: what is sent to the role earlier gets there as if it were sent then; 0: it was never
	 * stopped */
	int64_t *stop;
	int64_t *saved; /* np: its newest checkpoint */
	int64_t *line;  /* np: where duplicates begin */
	/* np: iterations completed at most when failures found it, before it went back */
	int64_t *high;
	/* np: when a role that was not stopped has begun the iteration in which it goes on; NEVER:
	 * it begins that now */
	int64_t *under_way;
	int64_t copies; /* when duplicates begin */
	int64_t *died;  /* np: what a role sends later gets nowhere; NEVER: lives */
	int64_t base;   /* the first row that was executed since the last repair */
};

/* Execute the next row. RB_OK; RB_ENOMEM; RB_EINVAL: the program of the roles does not end, or
 * lasts too long. */
int ref_execute(struct ref *x, struct rb_error *err);
/* Forget what was executed since the last repair: roles have died. */
void ref_rewind(struct ref *x);
/* When a role begins the iteration in which it goes on: not before its duplicate has ended. */
int64_t ref_resume(const struct ref *x, int role);
/* Does the duplicate of a role do anything in this iteration? */
bool ref_has_copy(const struct ref *x, int role, int64_t iter);
/* When a role begins an iteration that is not before from[role]. */
int64_t ref_begin(const struct ref *x, int role, int64_t iter);
/* When a role is first where this failure happens, which does not do so by the clock; NEVER: it
 * does not get there, or that is not known yet. LATER or more: not before the next repair. */
int64_t ref_reaches(const struct ref *x, const struct failure *f);
void ref_rows_free(struct ref *x);

#endif

/* inject/plan.h - failures as data: who dies, in which iteration, at which point.
 *
 * The text form is WHO@ITER[:PHASE][#NTH]; iterations count from 0. WHO is a role ("3"), a spare
 * that still waits ("spare0"), a node ("node1": all processes on it at once) or a host ("host1":
 * also the MPI daemon of the node). PHASE defaults to "start"; "repair+USEC" and "op+N" have a
 * number. With #NTH the kill fires only when that point is reached for the NTH time, for instance
 * again after a rollback. */
#ifndef INJECT_PLAN_H
#define INJECT_PLAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inject_phase {
	INJECT_START,      /* before the first operation of the iteration */
	INJECT_SEND,       /* between two sends of the iteration */
	INJECT_COMMIT,     /* computed and communicated, not yet committed */
	INJECT_CHECKPOINT, /* while the first checkpoint at or after ITER is being written */
	/* has noticed a failure and told no other process. This phase and the next five: in the
	   first recovery that finds the role in ITER - 1 or later */
	INJECT_RECOVERY,
	/* USEC microseconds after its repair began, wherever the process then is */
	INJECT_REPAIR,
	INJECT_RESTORE,   /* rolled back, before its state is loaded */
	INJECT_REPLAY,    /* half of the messages that it replays are posted */
	INJECT_SUPPORT,   /* before an iteration of its duplicate */
	INJECT_BLOCKED,   /* waits at the front of a recovery with reduced power */
	INJECT_OPERATION, /* at the Nth send or wait of the iteration, from 1 */
	INJECT_PHASES,
};
const char *inject_phase_name(enum inject_phase phase);
const char *inject_phase_help(enum inject_phase phase);
/* false: no phase has this name of so many characters. */
bool inject_phase_find(const char *name, size_t length, enum inject_phase *phase);
/* Can a kill in that phase fire by itself, without a number and without an earlier failure? */
bool inject_phase_in_iteration(enum inject_phase phase);

enum inject_who { INJECT_ROLE, INJECT_SPARE, INJECT_NODE, INJECT_HOST };
/* What stands in front of the number: "" for a role, "spare", "node" or "host". */
const char *inject_who_prefix(enum inject_who who);
/* Read WHO at the beginning of *at and move *at behind it. false: there is none. */
bool inject_parse_who(const char **at, enum inject_who *who, int *number);

enum { INJECT_MAX_KILLS = 64, INJECT_TEXT = 64 };

struct inject_kill {
	enum inject_who who;
	int number; /* role, spare, node or host; hosts are numbered as nodes */
	int64_t iter;
	enum inject_phase phase;
	int64_t amount; /* USEC or N */
	int nth;        /* from 1 */
};

struct inject_plan {
	size_t count;
	struct inject_kill kill[INJECT_MAX_KILLS];
};

/* Parse one kill and append it. RB_OK or RB_EINVAL; err names the text and the remedy. */
int inject_parse(struct inject_plan *plan, const char *text, int np, struct rb_error *err);
/* The canonical text, e.g. "3@13:start". */
void inject_format(const struct inject_kill *kill, char *out, size_t size);

#endif

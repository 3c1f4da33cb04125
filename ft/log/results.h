/* ft/log/results.h - the results of reductions over all roles, of every iteration since the
 * recovery line.
 *
 * Data-flow rollback only (ft/recovery/cone.h). A reduction over all roles would make every role
 * depend on every other in every iteration. Its result is a few numbers that are the same on all
 * roles, so each role records them, and whoever repeats an iteration takes them from the record: 8
 * bytes for each number and 8 for each iteration. */
#ifndef FT_LOG_RESULTS_H
#define FT_LOG_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty, from iteration 0 on. */
struct results {
	int64_t since;      /* the first iteration */
	int64_t iterations; /* so many are complete */
	size_t *end;        /* of each iteration: where its numbers end */
	size_t end_room;
	double *number;
	size_t count, room; /* count: with those of the iteration under way */
	int64_t iter;       /* under way */
	/* numbers of the iteration under way that were taken from the record */
	size_t taken;
	size_t bytes_peak;
};

void results_free(struct results *s);
/* Iteration iter begins, perhaps again. It is one of the recorded ones, or the next. */
void results_begin(struct results *s, int64_t iter);
/* Record a result of the iteration under way. RB_OK or RB_ENOMEM. */
int results_add(struct results *s, const double *v, size_t n);
/* Is the iteration under way recorded? Then take its next n numbers. */
bool results_take(struct results *s, double *v, size_t n);
/* The iteration under way is complete. RB_OK or RB_ENOMEM. */
int results_commit(struct results *s);
/* The same for another reader, who begins with *taken 0 in each iteration. */
bool results_read(const struct results *s, int64_t iter, size_t *taken, double *v, size_t n);

/* Forget the iterations before `from`, those from `to` on, everything. */
void results_trim(struct results *s, int64_t from);
void results_cut(struct results *s, int64_t to);
void results_restart(struct results *s, int64_t since);

/* Bytes that hold the record now. */
size_t results_bytes(const struct results *s);

/* To another role: the iterations from, ..., to - 1, all of which are recorded, as one piece of
 * memory, which the caller frees. NULL: out of memory. */
void *results_pack(const struct results *s, int64_t from, int64_t to, size_t *bytes);
/* Append what results_pack() made; it must begin where this record ends. RB_OK, RB_ENOMEM or
 * RB_ECORRUPT. */
int results_append(struct results *s, const void *packed, size_t bytes);

#endif

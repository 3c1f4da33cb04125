/* harness/watts/series.h - the readings of wattmeters as CSV (docs/energy.md): time, node,
 * watts. */
#ifndef HARNESS_WATTS_SERIES_H
#define HARNESS_WATTS_SERIES_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

enum { SERIES_NAME = 128 };

struct reading {
	double time;  /* seconds since the epoch */
	double watts; /* 0 or more */
};

/* The readings of a node in order of time; two can have the same time. */
struct series_node {
	char name[SERIES_NAME];
	long line; /* of its first reading in the text */
	struct reading *reading;
	size_t count, room;
};

struct series {
	struct series_node *node; /* in the order in which they come */
	size_t count, room;
	/* number of the last line if no end of line was behind it: it is not used; 0: there is
	 * none */
	long cut;
};

/* Read all of f. RB_OK; RB_EINVAL with "name:line: what is wrong", RB_EIO or RB_ENOMEM, and then s
 * is empty. A text without any line has no readings. The caller frees. */
int series_read(struct series *s, FILE *f, const char *name, struct rb_error *err);
void series_free(struct series *s); /* leaves it empty */

/* Joules from `begin` to `end` by the trapezoid rule, with watts in between two readings on the
 * line that joins them. NaN unless there is a reading at or before `begin` and one at or after
 * `end`: nothing is extrapolated. */
double series_joules(const struct reading *reading, size_t count, double begin, double end);
/* How many readings there are from `begin` to `end`; *mean_w: their mean, NaN if there is none. */
size_t series_within(const struct reading *reading, size_t count, double begin, double end,
		     double *mean_w);
/* The longest time from one reading to the next, of which a part is within; 0 if there is none. */
double series_gap(const struct reading *reading, size_t count, double begin, double end);

#endif

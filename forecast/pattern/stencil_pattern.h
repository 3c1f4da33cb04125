/* forecast/pattern/stencil_pattern.h - neighbour exchange on a grid of roles: the pattern of many
 * codes at any scale.
 *
 * Every role sends one message an iteration to each of its neighbours. With faces only that is the
 * 3-point stencil in one dimension, the 5-point one in two and the 7-point one in three; with edges
 * and corners 9 points and 27. */
#ifndef FORECAST_PATTERN_STENCIL_PATTERN_H
#define FORECAST_PATTERN_STENCIL_PATTERN_H

#include "contract/pattern.h"

enum { STENCIL_AXES = 3 };

struct stencil_pattern {
	struct pattern pattern;
	int axes;                 /* 1 to STENCIL_AXES */
	int length[STENCIL_AXES]; /* roles along each axis, the last one running fastest */
	bool periodic;            /* the first and the last role of an axis are neighbours */
	/* of a message across a face, an edge, a corner; 0: there is none */
	size_t bytes[STENCIL_AXES];
	int width; /* neighbours are up to so many steps away along each axis */
};

/* bytes: `axes` numbers. The width is 1. RB_OK, or RB_EINVAL: axes, a length below 1, or more than
 * INT_MAX roles. */
int stencil_pattern_init(struct stencil_pattern *s, int axes, const int *length, bool periodic,
			 const size_t *bytes, struct rb_error *err);

/* The width becomes this, at least 1. A neighbour that differs in one, two or three axes is across
 * a face, an edge or a corner, however far away it is. */
void stencil_pattern_widen(struct stencil_pattern *s, int width);

/* The stencil of width 1 that a pattern is; NULL: it is another one. */
const struct stencil_pattern *stencil_of(const struct pattern *p);

#endif

/* ft/log/place.h - a point of a role's program: an iteration, and an operation in it. */
#ifndef FT_LOG_PLACE_H
#define FT_LOG_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Sends and waits of an iteration are counted from 0, without those of reductions over all
 * roles. */
struct place {
	int64_t iter;
	int32_t number;
};

/* PLACE_NONE: of a send with a larger number; data-flow rollback allows none */
enum { PLACE_MAX = UINT16_MAX - 1, PLACE_NONE = UINT16_MAX };

static inline int place_compare(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->iter != q->iter)
		return p->iter < q->iter ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static inline bool place_before(struct place p, struct place q)
{
	return place_compare(&p, &q) < 0;
}

/* The messages of an iteration from one role, which nobody has and nobody will compute again
 * (ft/recovery/cone.h). */
struct absence {
	int64_t iter;
	int32_t source;
};

static inline int absence_compare(const void *a, const void *b)
{
	const struct absence *p = a, *q = b;

	if (p->iter != q->iter)
		return p->iter < q->iter ? -1 : 1;
	return (p->source > q->source) - (p->source < q->source);
}

/* Is it in a sorted list? */
static inline bool place_among(const struct place *list, size_t count, struct place p)
{
	return count > 0 && bsearch(&p, list, count, sizeof p, place_compare) != NULL;
}

static inline bool absence_among(const struct absence *list, size_t count, struct absence a)
{
	return count > 0 && bsearch(&a, list, count, sizeof a, absence_compare) != NULL;
}

#endif

/* ft/log/demand.h - what other roles lack of the messages of this one, as the last recovery has
 * decided it (private to ft/). */
#ifndef FT_LOG_DEMAND_H
#define FT_LOG_DEMAND_H

#include "ft/log/crossing.h"
#include "ft/log/place.h"

/* The arrays are the owner's (ft/recovery/recovery.h). */
struct demand {
	const int64_t *front; /* np: the iteration with which each role resumes */
	int64_t latest;       /* the largest of them: from there on, nobody is past a message */
	/* np: when it resumed, a role had copies of what it had received in iterations before this
	 * one (ft/log/received.h) */
	const int64_t *copies;
	/* sends that duplicates of others receive, sorted (ft/recovery/cone.h); none without
	 * data-flow rollback */
	const struct place *needed;
	size_t needs;
};

/* An epoch begins with these fronts of np roles. */
static inline void demand_enter(struct demand *d, const int64_t *front, int np)
{
	d->front = front;
	d->latest = front[0];
	for (int r = 1; r < np; r++)
		d->latest = front[r] > d->latest ? front[r] : d->latest;
}

/* Does a duplicate of its receiver need the send of that place? */
static inline bool demand_is_needed(const struct demand *d, struct place place)
{
	return place_among(d->needed, d->needs, place);
}

/* Does dst itself lack a message of an iteration that this role computes now? No: dst is past it.
 * Beyond the latest front, the array of np numbers is not read. */
static inline bool demand_of_role(const struct demand *d, int64_t iter, int dst)
{
	return iter >= d->latest || crossing(iter, iter, d->front[dst]) == CROSSING_SENT;
}

/* Does the message of that place, which this role computes now, leave for dst or its duplicate? */
static inline bool demand_has(const struct demand *d, struct place place, int dst)
{
	return demand_of_role(d, place.iter, dst) || demand_is_needed(d, place);
}

#endif

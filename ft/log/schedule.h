/* ft/log/schedule.h - in which iterations checkpoints are taken. */
#ifndef FT_LOG_SCHEDULE_H
#define FT_LOG_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* A checkpoint of iteration i is the state in which i iterations are complete. That of iteration 0
 * is the initial state, which always exists. */
struct schedule {
	int64_t interval; /* iterations from one checkpoint to the next */
	int64_t first;    /* the first one after the initial state; 0: as the interval */
};

static inline int64_t schedule_first(struct schedule s)
{
	return s.first > 0 ? s.first : s.interval;
}

static inline bool schedule_due(struct schedule s, int64_t iter)
{
	return iter >= schedule_first(s) && (iter - schedule_first(s)) % s.interval == 0;
}

/* The newest one that is not newer than iter; 0: the initial state. */
static inline int64_t schedule_newest(struct schedule s, int64_t iter)
{
	return iter < schedule_first(s) ? 0 : iter - (iter - schedule_first(s)) % s.interval;
}

/* The next one from iter on, besides the initial state. */
static inline int64_t schedule_next(struct schedule s, int64_t iter)
{
	int64_t newest = schedule_newest(s, iter);

	return newest == 0 ? schedule_first(s) : newest == iter ? iter : newest + s.interval;
}

#endif

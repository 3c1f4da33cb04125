/* forecast/programs/log_costs.h - how long each role copies messages into its log in an iteration.
 */
#ifndef FORECAST_PROGRAMS_LOG_COSTS_H
#define FORECAST_PROGRAMS_LOG_COSTS_H

#include "forecast/programs/programs.h"

enum log_form {
	LOGS_NOTHING, /* or it takes no time */
	LOGS_ALL,     /* what is sent, in the first `window` iterations of an interval */
	LOGS_ASKED,   /* the policy is asked message by message */
};

struct open_log;

struct log_costs {
	const struct model *m;
	enum log_form form;
	int64_t window;
	struct open_log *open; /* np, if the policy is asked */
};

/* RB_OK or RB_ENOMEM; log_costs_free() in any case */
int log_costs_init(struct log_costs *c, const struct model *m);
void log_costs_free(struct log_costs *c);
/* Does any role log anything in this iteration? */
static inline bool log_costs_any(const struct log_costs *c, int64_t iter)
{
	return c->form == LOGS_ASKED ||
	       (c->form == LOGS_ALL && iter - schedule_newest(c->m->schedule, iter) < c->window);
}
/* The ticks of a role, if log_costs_any(). RB_OK, RB_ENOMEM or what the pattern returned.
 * Iterations in ascending order are fastest. */
int log_costs_of(struct log_costs *c, const struct program *p, int role, int64_t iter,
		 int64_t *ticks);

#endif

/* harness/power/power_use.h - a process's power technique while it plays a role, with the books of it. */
#ifndef HARNESS_POWER_POWER_USE_H
#define HARNESS_POWER_POWER_USE_H

#include "ft/ledger.h"
#include "harness/power/power.h"

struct saving {
	enum power_technique technique;
	struct power *power;   /* NULL: the technique sets nothing, or cannot be used here */
	struct ledger *ledger; /* of the role */
	double since;          /* CLOCK_MONOTONIC of the reduction under way, 0: none */
};

/* Once bound to the role's core. RB_EINVAL: the technique cannot be used on it. */
int saving_adopt(struct saving *s, struct ledger *ledger, struct rb_error *err);
/* What does not end the run goes into the role's ledger. */
void saving_trouble(struct saving *s, const char *text);
void saving_reduce(void *saving, bool on); /* ft_power.reduce */
void saving_close(struct saving *s);

#endif

/* harness/machine/power/power_use.h - the power technique of a process while it plays a role, and
 * its accounting. */
#ifndef HARNESS_MACHINE_POWER_POWER_USE_H
#define HARNESS_MACHINE_POWER_POWER_USE_H

#include "ft/ledger.h"
#include "harness/machine/power/power.h"
#include "harness/machine/power/slow.h"

struct power_use {
	enum power_technique technique;
	struct power *power;   /* NULL: the technique sets nothing, or cannot be used here */
	struct ledger *ledger; /* of the role */
	double since;          /* CLOCK_MONOTONIC of the reduction under way, 0: none */
	struct slow slow;
};

/* Call it when the process is bound to the core of its role. RB_EINVAL: the technique cannot be
 * used on it. */
int power_use_adopt(struct power_use *s, struct ledger *ledger, struct rb_error *err);
/* Write trouble that does not end the run into the ledger of the role. */
void power_use_trouble(struct power_use *s, const char *text);
void power_use_reduce(void *saving, bool on); /* ft_power.reduce */
void power_use_slow(void *saving, bool on);   /* ft_power.slow */
void power_use_close(struct power_use *s);

#endif

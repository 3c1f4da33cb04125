/* harness/power.h - ways to save the power of a core whose role can only wait.
 *
 * power-log-n-roll paper, Sect. 5 and Alg. 1 (reduce_dvfs, reset): applied by blocked roles only,
 * between a repair and the rendezvous at the front (ft/rendezvous.h).
 *
 *   none     wait in MPI, spinning
 *   sleep    wait without spinning; needs no privilege
 *   dvfs     the core's highest frequency set to its lowest one (libcpupower), waiting by spinning
 *   cm       the core's clock gated (MSR IA32_CLOCK_MODULATION by msr-safe or /dev/cpu), likewise
 *   dvfs+cm  both
 *
 * A core must be one role's alone: slowing it down would slow down others. */
#ifndef HARNESS_POWER_H
#define HARNESS_POWER_H

#include "base/error.h"

#include <stdbool.h>

enum power_technique {
	POWER_NONE,
	POWER_SLEEP,
	POWER_DVFS,
	POWER_CM,
	POWER_DVFS_CM,
	POWER_TECHNIQUES,
};
const char *power_name(enum power_technique technique);
/* Does it change settings of the core, or is it only a way of waiting? */
bool power_sets_core(enum power_technique technique);

enum { POWER_TEXT = 256 };

struct power; /* what one process needs to set its own core */

/* For the processing units that the calling process is bound to; call when bound. RB_EINVAL if the
 * machine cannot do it: err says why, and what an administrator would have to do. For techniques
 * that set nothing *out is NULL. The caller closes. */
int power_open(enum power_technique technique, struct power **out, struct rb_error *err);
/* Save power from here on, or stop it: what was there before is set again. ft_power.reduce. If a
 * setting cannot be written the run goes on as it is, and power_trouble() says so. */
void power_reduce(void *power, bool on);
const char *power_trouble(const struct power *power); /* "" if all went well */
void power_close(struct power *power); /* resets; NULL is fine */

/* Can it be used here, by this user? On processing unit cpu. true, with text what it would set; or
 * false with the reason and the remedy. */
bool power_probe(enum power_technique technique, int cpu, char text[POWER_TEXT]);

#endif

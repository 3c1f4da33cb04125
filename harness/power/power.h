/* harness/power/power.h - ways to save the power of a core whose role can only wait.
 *
 * power-log-n-roll paper, Sect. 5 and Alg. 1 (reduce_dvfs, reset): applied by blocked roles only,
 * between a repair and the rendezvous at the front (ft/recovery/front_wait.h).
 *
 *   none     wait in MPI, spinning
 *   sleep    wait without spinning; needs no privilege
 *   dvfs     the core's highest frequency set to its lowest one (libcpupower), waiting by spinning
 *   cm       the core's clock gated (MSR IA32_CLOCK_MODULATION by msr-safe or /dev/cpu), likewise
 *   dvfs+cm  both
 *
 * A core must be one role's alone: slowing it down would slow down others.
 *
 * What was set before is recorded before anything is changed, and set again however the process ends,
 * by itself or by its guardian, a process that power_guard() starts. If both are killed, the record is
 * found by the next command of this user on this host that runs anything, and named by the doctor. */
#ifndef HARNESS_POWER_POWER_H
#define HARNESS_POWER_POWER_H

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

/* The name of a guardian, which must be let live for a moment after its worker (harness/job/reap.c). */
#define POWER_GUARD_NAME "rollbench-guard"

/* Start the guardian of this process, if the technique needs one. Best before MPI_Init, since it is
 * forked; otherwise power_open() does it. RB_EIO. */
int power_guard(enum power_technique technique, struct rb_error *err);
/* For the processing units that the calling process is bound to; call when bound. RB_EINVAL if the
 * machine cannot do it, or another process sets this core: err says why, and what an administrator would
 * have to do. For techniques that set nothing *out is NULL, which all functions below accept. The caller
 * closes; one at a time in a process. */
int power_open(enum power_technique technique, struct power **out, struct rb_error *err);
/* Save power from here on, or stop it: what was there before is set again. false: not all could be
 * written; power_trouble() says what, and the run goes on as it is. */
bool power_reduce(struct power *power, bool on);
const char *power_trouble(const struct power *power); /* "" if all went well */
void power_close(struct power *power); /* resets */

/* Can it be used here, by this user? On processing unit cpu. true, with text what it would set; or
 * false with the reason and the remedy. */
bool power_probe(enum power_technique technique, int cpu, char text[POWER_TEXT]);
/* Settings that killed processes of this user have left changed here, a text each with what they were;
 * returns how many. Restores nothing. */
int power_leftovers(char (*text)[POWER_TEXT], int most);
/* Set them again, as power_open() does, for all units; those that cannot be stay leftovers. */
void power_restore_leftovers(void);

#endif

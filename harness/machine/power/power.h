/* harness/machine/power/power.h - techniques to save the power of a core whose role can only wait.
 *
 * See the power-log-n-roll paper, Sect. 5 and Alg. 1 (reduce_dvfs, reset). Only blocked roles apply
 * them, between a repair and the end of the wait at the front (ft/recovery/front_wait.h).
 *
 *   none     wait in MPI, spinning
 *   sleep    wait without spinning; needs no privilege
 *   dvfs     the core's highest frequency set to its lowest one (libcpupower), waiting by spinning
 *   cm       the core's clock modulated (MSR IA32_CLOCK_MODULATION by msr-safe or /dev/cpu),
 *            waiting by spinning
 *   dvfs+cm  both
 *
 * One more is no technique but a control: with slow-all, blocked roles sleep, and all others, too,
 * run only a part of the time until they are at the front (harness/machine/power/slow.h). It shows
 * what it costs to slow down those who work.
 *
 * Only one role may use a core, because slowing the core down would slow down the others.
 *
 * The earlier settings are recorded before anything is changed. They are restored however the
 * process ends, by itself or by its guardian, a process that power_guard() starts. If both are
 * killed, the next command of this user on this host that runs anything finds the record and
 * restores the settings; the doctor names it. */
#ifndef HARNESS_MACHINE_POWER_POWER_H
#define HARNESS_MACHINE_POWER_POWER_H

#include "base/error.h"

#include <sched.h>
#include <stdbool.h>

enum power_technique {
	POWER_NONE,
	POWER_SLEEP,
	POWER_DVFS,
	POWER_CM,
	POWER_DVFS_CM,
	POWER_TECHNIQUES,
	POWER_SLOW_ALL = POWER_TECHNIQUES, /* the control */
	POWER_WORDS,
};
const char *power_name(enum power_technique technique);
/* Do blocked roles wait without spinning? */
bool power_sleeps(enum power_technique technique);
/* Does the technique change settings of the core? Otherwise it is only a way of waiting. */
bool power_sets_core(enum power_technique technique);

enum { POWER_TEXT = 256 };

struct power; /* the data with which one process sets its own core */

/* The name of a guardian. A guardian lives for a moment longer than its worker and must not be
 * killed in that time (harness/job/reap.c). */
#define POWER_GUARD_NAME "rollbench-guard"

/* Start the guardian of this process, if the technique needs one. Call it before MPI_Init if
 * possible, since it forks; otherwise power_open() does it. RB_EIO. */
int power_guard(enum power_technique technique, struct rb_error *err);
/* Open the technique for the processing units that the calling process is bound to; call it after
 * binding. RB_EINVAL if the machine cannot do it, or if another process sets this core: err says
 * why, and what an administrator would have to do. For techniques that set nothing *out is NULL,
 * which all functions below accept. The caller closes it. A process has at most one at a time. */
int power_open(enum power_technique technique, struct power **out, struct rb_error *err);
/* Reduce the power from now on, or set the earlier values again. false: not all values could be
 * written; power_trouble() says which, and the run continues. */
bool power_reduce(struct power *power, bool on);
const char *power_trouble(const struct power *power); /* "" if nothing failed */
void power_close(struct power *power);                /* resets */

/* Can this user use the technique here, on processing unit cpu? true: text says what it would set.
 * false: text has the reason and the remedy. */
bool power_probe(enum power_technique technique, int cpu, char text[POWER_TEXT]);
/* Between which values processing units can be set at all, whoever is allowed to: with POWER_DVFS
 * their frequency in Hz, with POWER_CM the share of the time in which their clock runs. */
struct power_range {
	double least, most;
};
/* technique: one of these two; units: at least one. The range over all units, which may be of
 * several kinds. false: one of them has none; text has the reason and the remedy. */
bool power_range(enum power_technique technique, const cpu_set_t *units, struct power_range *out,
		 char text[POWER_TEXT]);
/* The settings that killed processes of this user have left changed on this host: one text each,
 * with the earlier value. Returns how many. Restores nothing. */
int power_leftovers(char (*text)[POWER_TEXT], int most);
/* Restore these settings for all units, as power_open() does for its own. Those that cannot be
 * restored remain. */
void power_restore_leftovers(void);

#endif

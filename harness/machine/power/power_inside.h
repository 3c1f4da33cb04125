/* harness/machine/power/power_inside.h - what the files of harness/machine/power/ share; all other
 * code includes harness/machine/power/power.h.
 *
 *   power.c          names, probing, open, reduce, close
 *   power_dvfs.c     the highest frequency; power_cm.c the clock: how each is read and written
 *   power_journal.c  the earlier settings, in memory that outlives the process
 *   power_guard.c    the process that restores them when the worker has ended */
#ifndef HARNESS_MACHINE_POWER_POWER_INSIDE_H
#define HARNESS_MACHINE_POWER_POWER_INSIDE_H

#include "harness/machine/power/power.h"

#include <sched.h>
#include <stdint.h>

enum {
	POWER_SETTINGS = 16, /* 8 processing units per core (POWER10), 2 levers */
	POWER_PATH = 96,
	POWER_WHY = POWER_TEXT - 48,
};

enum power_kind { POWER_MAX_FREQ, POWER_CLOCK, POWER_KINDS };

/* One thing that is changed on one processing unit. */
struct power_setting {
	int32_t kind;             /* enum power_kind */
	int32_t cpu;              /* the system's number of the processing unit */
	uint64_t before, reduced; /* kHz, or the register IA32_CLOCK_MODULATION */
};

/* How a kind of setting is read and written. */
struct power_lever {
	const char *name;
	/* As power_range(). */
	bool (*range)(const cpu_set_t *units, struct power_range *out, char text[POWER_TEXT]);
	/* Read the present value and the value that would be set, for a processing unit of this
	 * core; nothing is changed. true: text says what would be set. false: it cannot be used;
	 * text has the reason and the remedy. */
	bool (*read)(int cpu, const cpu_set_t *core, struct power_setting *s,
		     char text[POWER_TEXT]);
	/* false: errno says why. */
	bool (*write)(const struct power_setting *s, bool reduced);
	/* Describe the earlier value, and how to set it again by hand. */
	void (*describe)(const struct power_setting *s, char text[POWER_TEXT]);
};
extern const struct power_lever power_dvfs, power_cm;
extern const struct power_lever *const power_lever[POWER_KINDS];

/* The worker and its guardian share this memory. It is a file, so that it outlives both. Settings
 * are recorded before `count` covers them, and `changed` is set before the first of them is
 * written. */
struct power_journal {
	uint32_t magic;
	int32_t pid; /* of the worker */
	int32_t count;
	int32_t changed; /* the settings may differ from what was recorded */
	struct power_setting setting[POWER_SETTINGS];
};

/* Write all recorded settings. false: some could not be written; text names the first and says
 * why. */
bool power_write(const struct power_journal *j, bool reduced, char text[POWER_TEXT]);

/* Journals lie in a folder of this user in memory (/dev/shm). A restart of the machine clears the
 * folder, as it clears the settings. If no process holds the lock of a journal, its processes are
 * dead. The worker and its guardian hold the lock together. */
struct power_file {
	struct power_journal *journal; /* mapped */
	char path[POWER_PATH];
	int fd;
};
/* Create a new, empty journal and lock it. RB_OK or RB_EIO. */
int power_file_create(struct power_file *f, struct rb_error *err);
/* Unmap and unlock. Only its guardian, or a process that finds it unlocked, removes the file. */
void power_file_remove(struct power_file *f);
/* Only one process at a time is between these two calls. */
int power_folder_enter(struct rb_error *err); /* a descriptor, or RB_EIO */
void power_folder_leave(int folder);
/* Between these calls: restore the settings that dead processes have left changed on any of these
 * units. RB_OK. RB_LOST: a living process has recorded one of the units. RB_EIO: a setting of a
 * dead process cannot be restored. `own` may be NULL. */
int power_folder_clear(int folder, const cpu_set_t *units, const struct power_file *own,
		       struct rb_error *err);

/* The journal of this process, which its guardian watches; starts the guardian if necessary. NULL
 * with err. */
struct power_file *power_guarded(struct rb_error *err);

#endif

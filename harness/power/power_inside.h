/* harness/power/power_inside.h - what harness/power*.c share; everybody else wants harness/power/power.h.
 *
 *   power.c          names, probing, open, reduce, close
 *   power_dvfs.c     the highest frequency, power_cm.c the clock: how each is read and written
 *   power_journal.c  what was recorded, in memory that outlives the process
 *   power_guard.c    the process that restores it when the worker is gone */
#ifndef HARNESS_POWER_POWER_INSIDE_H
#define HARNESS_POWER_POWER_INSIDE_H

#include "harness/power/power.h"

#include <sched.h>
#include <stdint.h>

enum {
	POWER_SETTINGS = 16, /* 8 processing units a core (POWER10), 2 levers */
	POWER_PATH = 96,
	POWER_WHY = POWER_TEXT - 48,
};

enum power_kind { POWER_MAX_FREQ, POWER_CLOCK, POWER_KINDS };

/* One thing that is changed on one processing unit. */
struct power_setting {
	int32_t kind; /* enum power_kind */
	int32_t cpu;  /* the system's number of the processing unit */
	uint64_t before, reduced; /* kHz, or the register IA32_CLOCK_MODULATION */
};

/* How a kind of setting is read and written. */
struct power_lever {
	const char *name;
	/* What it is now and would be, for a processing unit of this core; nothing is changed. false:
	 * it cannot be used; text has the reason and the remedy, otherwise what would be set. */
	bool (*read)(int cpu, const cpu_set_t *core, struct power_setting *s, char text[POWER_TEXT]);
	/* false: errno says why. */
	bool (*write)(const struct power_setting *s, bool reduced);
	/* What it was, and how somebody sets it again by hand. */
	void (*describe)(const struct power_setting *s, char text[POWER_TEXT]);
};
extern const struct power_lever power_dvfs, power_cm;
extern const struct power_lever *const power_lever[POWER_KINDS];

/* Shared by the worker and its guardian, and a file, so that it outlives both. Settings are recorded
 * before `count` covers them, and `changed` is set before the first of them is written. */
struct power_journal {
	uint32_t magic;
	int32_t pid; /* of the worker */
	int32_t count;
	int32_t changed; /* the settings may differ from what was recorded */
	struct power_setting setting[POWER_SETTINGS];
};

/* Write all that is recorded. false: not all could be; text has the first and why. */
bool power_write(const struct power_journal *j, bool reduced, char text[POWER_TEXT]);

/* Journals lie in a folder of this user's in memory (/dev/shm), which a new start of the machine clears
 * as it does the settings. A journal whose lock nobody holds is of processes that are dead. The lock
 * is the worker's and its guardian's in common. */
struct power_file {
	struct power_journal *journal; /* mapped */
	char path[POWER_PATH];
	int fd;
};
/* A new and empty one, locked. RB_OK or RB_EIO. */
int power_file_create(struct power_file *f, struct rb_error *err);
/* Unmap, unlock; removed only by its guardian or by who finds it unlocked. */
void power_file_remove(struct power_file *f);
/* Only one process at a time is between these two. */
int power_folder_enter(struct rb_error *err); /* a descriptor, or RB_EIO */
void power_folder_leave(int folder);
/* Within them: restore what dead processes left changed on any of these units. RB_OK; RB_LOST: a living
 * process has recorded one of them; RB_EIO: something of the dead cannot be restored. `own` may be NULL. */
int power_folder_clear(int folder, const cpu_set_t *units, const struct power_file *own,
		       struct rb_error *err);

/* The journal of this process, watched by its guardian; starts it if need be. NULL with err. */
struct power_file *power_guarded(struct rb_error *err);

#endif

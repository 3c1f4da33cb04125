/* harness/machine/timeline.h - what a process of a run did, and when: one file per process in the
 * run folder.
 *
 * The file is mapped shared like the ledger (ft/ledger.h), so it survives a SIGKILL, with what the
 * process was doing then. It takes 2.5 MiB of the run folder. Times are CLOCK_REALTIME seconds
 * since the epoch, as those of ledgers and events. harness/record/record_timeline.h reads it. */
#ifndef HARNESS_MACHINE_TIMELINE_H
#define HARNESS_MACHINE_TIMELINE_H

#include "base/error.h"
#include "ft/config.h"
#include "harness/machine/usage.h"

#include <stdint.h>

enum {
	TIMELINE_MAGIC = 0x524c5442,
	TIMELINE_ROWS = 1 << 16,
	/* of which the waits have so many: without them, what a recovery does still has room */
	TIMELINE_WAITS = TIMELINE_ROWS / 4 * 3,
	TIMELINE_DEPTH = 2, /* a phase, and an activity in it */
};
/* A wait that is shorter has no row. */
#define TIMELINE_LEAST_S 20e-6

/* What it did: a phase, as usage has them, or an activity: this + enum ft_activity. */
enum { TIMELINE_ACTIVITIES = USAGE_PHASES };
const char *timeline_name(int what);

struct timeline_row {
	int32_t what;
	int32_t serial; /* in the order in which they began */
	int64_t iter;   /* of its role; -1: a spare */
	double begun, ended;
};

struct timeline {
	uint32_t magic;
	int32_t job, slot; /* the number of the job in its run, and the slot in the roster */
	int32_t spare;     /* as which it began; -1: as a role, or in a repair */
	int32_t role;      /* that it plays or has played; -1: none */
	int32_t first;     /* 1: nobody has played the role before */
	int64_t pid;
	char host[64];
	double began, adopted, ended; /* -1: not yet. A process that was killed has no end */
	int64_t rows, dropped;        /* dropped: there was no room for them */
	int32_t serial;               /* of the next one that begins */
	int32_t depth;                /* how many of open[] are under way */
	struct timeline_row open[TIMELINE_DEPTH];
	struct timeline_row row[TIMELINE_ROWS];
};

/* Map a new file in folder dir. NULL with a message: it cannot be written. */
struct timeline *timeline_open(const char *dir, int job, int slot, int spare, struct rb_error *err);
/* The process plays this role now, as the `incarnation`-th, from 1. All functions from here on
 * take NULL, for a process without a file. */
void timeline_adopt(struct timeline *t, int role, int32_t incarnation);
/* ft_hooks.enters and .does */
void timeline_enter(struct timeline *t, int64_t iter, enum ledger_phase phase);
void timeline_does(struct timeline *t, enum ft_activity what, bool begins);
/* The process ends by itself. */
void timeline_close(struct timeline *t);

/* All files of a run folder, in the order of jobs and slots. They are mapped until
 * timeline_unmap_all(), which takes NULL. RB_OK or RB_ENOMEM. */
int timeline_read_all(const char *dir, const struct timeline ***all, int *count);
void timeline_unmap_all(const struct timeline **all, int count);

#endif

/* harness/torture/load.h - work that a machine has beside the runs: processes that take CPU, memory
 * and disk.
 *
 * They are children of the harness and end with it, however it ends. They leave no file. */
#ifndef HARNESS_TORTURE_LOAD_H
#define HARNESS_TORTURE_LOAD_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

enum load_kind {
	LOAD_CPU,    /* computes all the time */
	LOAD_NICE,   /* likewise, with the lowest priority */
	LOAD_MEMORY, /* writes to all cache lines of 256 MiB again and again */
	/* writes a file of 64 MiB in the workdir again and again, and syncs it after every 4 MiB */
	LOAD_DISK,
	LOAD_KINDS,
};

enum { LOAD_MAX = 64, LOAD_TEXT = 64 };

struct load {
	int count[LOAD_KINDS]; /* processes asked for */
	int started;
	struct load_process {
		enum load_kind kind;
		pid_t pid;
		int pidfd; /* readable when it has ended */
	} process[LOAD_MAX];
};

/* Understand "KIND[:N],...", for instance "cpu:2,disk". RB_OK or RB_EINVAL. */
int load_parse(struct load *load, const char *text, struct rb_error *err);
/* The same as text, in the order of the kinds; "none" if there is none. */
void load_format(const struct load *load, char out[LOAD_TEXT]);
/* Start all processes; returns when each is at work. workdir: NULL: $TMPDIR or /tmp. RB_OK, or
 * RB_EIO: then none is left. */
int load_start(struct load *load, const char *workdir, struct rb_error *err);
/* RB_OK if all of them are at work; RB_EIO: one has ended by itself. */
int load_check(const struct load *load, struct rb_error *err);
void load_stop(struct load *load);

#endif

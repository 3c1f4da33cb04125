/* inject/roster.h - who runs where: one slot per process, in a file of the run folder that all
 * processes of a host have mapped. Killing a node needs to know who is on it; a spare that is to
 * die in iteration 13 needs to know that the roles have come there. Each host has a file of its own:
 * process numbers say nothing elsewhere, and file systems that hosts share write back whole pages. */
#ifndef INJECT_ROSTER_H
#define INJECT_ROSTER_H

#include "base/error.h"

#include <stdint.h>

enum { ROSTER_HOST = 64 };

struct roster_slot {
	int32_t pid;  /* 0: not started yet */
	int32_t role; /* -1: a spare */
	int32_t node;
	int32_t pad;
	int64_t front;
	char host[ROSTER_HOST];
};

struct roster {
	int slots;
	const char *dir;          /* run folder, the caller's */
	struct roster_slot *slot; /* by rank in the initial world; processes started later follow */
};

/* Map this host's file, creating it if absent. RB_OK or RB_EIO. */
int roster_open(struct roster *r, const char *dir, int slots, struct rb_error *err);
void roster_close(struct roster *r);
/* The largest front of the roles on this host; if it has none, of those on other hosts, as far as known. */
int64_t roster_front(const struct roster *r);
/* SIGKILL all processes on `self`'s node but `self`, which is on this host. victims receives the first `room` of
 * the roles that die, `self`'s role first. Returns how many it received. Async-signal-safe. */
int roster_kill_node(const struct roster *r, const char *dir, int self, int32_t *victims, int room);

#endif

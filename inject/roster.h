/* inject/roster.h - who runs where: one slot per process, in a file of the run folder that all
 * processes of a host have mapped.
 *
 * To kill a node, a process must know which processes are on it. A spare that is to die in
 * iteration 13 must know that the roles have reached it. Each host has a file of its own, because
 * process numbers are valid on one host only, and because file systems that hosts share write back
 * whole pages. */
#ifndef INJECT_ROSTER_H
#define INJECT_ROSTER_H

#include "base/error.h"

#include <stdbool.h>
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
	const char *dir; /* run folder; the caller owns the text */
	/* by rank in the initial world; processes that are started later follow */
	struct roster_slot *slot;
};

/* Map the file of this host; create it if it does not exist. RB_OK or RB_EIO. */
int roster_open(struct roster *r, const char *dir, int slots, struct rb_error *err);
/* Map the file of this host if it exists, to read it. false: not yet, or it has fewer slots. */
bool roster_view(struct roster *r, const char *dir, int slots);
void roster_close(struct roster *r);
/* Before a job: remove what an earlier one has left. */
void roster_forget(const char *dir);
/* What the hosts of so many ranks of the initial world call themselves, from the roster of any
 * host, since each has all names. false, and host is undefined: no process has come so far. */
bool roster_hosts(const char *dir, int ranks, char (*host)[ROSTER_HOST]);
/* The largest front of the roles on this host. If the host has no role: of those on other hosts, as
 * far as it is known. */
int64_t roster_front(const struct roster *r);
struct roster_process {
	int32_t pid, role; /* -1: a spare */
};

/* The processes on the node of `self` except `self`, which is on this host: at most `room` of them,
 * from the slot *next on (0 at first), which then is where to go on. Returns how many it found; 0:
 * there are no more. Async-signal-safe. */
int roster_find_node(const struct roster *r, const char *dir, int self, int *next,
		     struct roster_process *found, int room);

#endif

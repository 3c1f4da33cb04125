/* harness/options/hosts.h - the hosts that a run may use, from a plain host file, and which ranks
 * run on each.
 *
 * Each line names a host, with `slots=N` behind it if it should have more than its neighbours; `#`
 * begins a comment. Roles go in blocks over the hosts in the order of the file, in proportion to
 * their slots, so that neighbours share a host. Spares go to the last `spare_hosts` hosts, which
 * have no roles then; or else, from the last host on, one to each, so that a host's death takes as
 * few of them as possible. */
#ifndef HARNESS_OPTIONS_HOSTS_H
#define HARNESS_OPTIONS_HOSTS_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

enum { HOSTS_MAX = 256, HOST_NAME = 64, HOSTS_SOURCE = 240 };

struct hosts {
	const char *file; /* as it was given, not copied; NULL: hosts were not read from one */
	int count;        /* 0: no hosts were given, everything runs here */
	int spare_hosts;
	struct host {
		char name[HOST_NAME];
		int slots; /* 0: not given; counts as one */
		bool lost; /* its MPI daemon died or did not come up: not used again */
		/* as it calls itself, and so the MPI when its daemon is up; "": not known */
		char own[HOST_NAME];
	} host[HOSTS_MAX];
};

/* RB_OK, RB_EIO, or RB_EINVAL with file:line. */
int hosts_load(struct hosts *h, const char *path, struct rb_error *err);
/* Add a host, or so many slots to one that is there (0: not given). RB_OK, or RB_EINVAL: the name
 * is too long, or there are too many hosts. */
int hosts_add(struct hosts *h, const char *name, int slots, struct rb_error *err);
/* Who named the hosts, for messages: "--hostfile FILE", or "the allocation". */
void hosts_source(const struct hosts *h, char out[HOSTS_SOURCE]);
/* Can roles and spares be placed on those that are not lost? RB_OK or RB_EINVAL. */
int hosts_check(const struct hosts *h, struct rb_error *err);

/* Index of the host of a rank; ranks from np on are spares. A lost host gets no rank. */
int hosts_of(const struct hosts *h, int np, int rank);
/* The node of a rank: hosts are numbered in the order in which ranks are placed on them, as the
 * workers do it. */
int hosts_node(const struct hosts *h, int np, int rank);
/* The number of spares of which enough survive when node `node` dies with all its processes. */
int hosts_spares_for(const struct hosts *h, int np, int node);
/* Does a host get more ranks than it has slots, or, if these are not given, than `cores`? */
bool hosts_oversubscribed(const struct hosts *h, int np, int spares, int cores);

/* Write the host file of mpirun, which has one line for each rank, and beside it, with HOSTS_ORDER
 * behind its path, the same with names as the MPI knows the hosts (harness/job/mpirun.h). RB_OK or
 * RB_EIO. */
#define HOSTS_ORDER ".order"
int hosts_place(const struct hosts *h, int np, int spares, const char *path, struct rb_error *err);
/* The same with one process on each host that is not lost; *processes: how many. */
int hosts_place_each(const struct hosts *h, const char *path, int *processes, struct rb_error *err);
/* Mark the hosts that the MPI's own words in `log`, from offset `from` on, call lost. Returns how
 * many were not marked before. */
int hosts_notice(struct hosts *h, const char *log, long from);

/* New references: names, in the order of the file, of all or of those that are lost; the slots of
 * each and how many are spare. The placement of ranks depends on nothing else. */
json_t *hosts_json(const struct hosts *h, bool lost);
json_t *hosts_shape_json(const struct hosts *h);

#endif

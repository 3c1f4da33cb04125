/* forecast/time/platform.h - what roles share: the cores of a host and the links of a network. Only
 * the engine simgrid has it; for the others each role has a core, and no link is busy. */
#ifndef FORECAST_TIME_PLATFORM_H
#define FORECAST_TIME_PLATFORM_H

#include "base/error.h"

#include <stdbool.h>

enum { NETWORK_LEVELS = 4, NETWORK_TEXT = 96, HOST_ROLES_MAX = 64 };

enum network_kind {
	NETWORK_UNSHARED, /* no link is busy */
	NETWORK_STAR,     /* each host has a cable to one switch, which is never busy itself */
	NETWORK_TORUS,    /* each host has a cable to its two neighbours along each axis */
	NETWORK_FATTREE,
};

/* All cables carry messages in both directions at once. */
struct network {
	enum network_kind kind;
	char text[NETWORK_TEXT]; /* as it was asked for */
	int levels;              /* of a torus: its axes */
	/* children of a switch, from the hosts upwards; of a torus: lengths */
	int down[NETWORK_LEVELS];
	int up[NETWORK_LEVELS];     /* parents of what is below */
	int cables[NETWORK_LEVELS]; /* to each of them */
	/* what each cable on the way adds to the latency of a message */
	double hop_s;
};

/* All zero: each role has a host with one core, and nothing is shared. */
struct platform {
	int roles_per_host; /* role r is on host r / roles_per_host. 0: 1 */
	int cores_per_host; /* 0: as many as roles */
	struct network network;
};

/* "unshared", "star", "torus:4x4x2", "fattree:4x8/1x2", "fattree:4x8/1x2/1x1": down, up, cables.
 * RB_OK or RB_EINVAL; hop_s stays. */
int network_parse(struct network *n, const char *text, struct rb_error *err);

int platform_roles(const struct platform *p); /* on a host, at most */
int platform_cores(const struct platform *p); /* of a host */
int platform_hosts(const struct platform *p, int np);
/* Is it more than a host with a core for each role, and links that are never busy? */
bool platform_is_given(const struct platform *p);
/* Can roles delay each other on it? */
bool platform_shares(const struct platform *p);
/* Is there a place for np roles? RB_OK or RB_EINVAL. */
int platform_check(const struct platform *p, int np, struct rb_error *err);

#endif

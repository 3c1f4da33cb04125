/* ft/line/rs.h - Reed-Solomon parity over the images of a group of roles: who holds what, and the algebra.
 *
 * The roles are dealt out to groups, consecutive roles (which tend to share a node) to different ones.
 * A group of n roles has n stripes. The image of each member is cut into k = n - m chunks; stripe s
 * takes a chunk of k members and its m parity chunks lie with the other m, so that everybody holds as
 * much parity as everybody else: m chunks, m/k of an image. Any m members may be lost. (A layout as
 * in RAID 6; GF(256) by ISA-L with a Cauchy matrix.) No MPI here. */
#ifndef FT_LINE_RS_H
#define FT_LINE_RS_H

#include "ft/levels.h"

#include <stdbool.h>
#include <stddef.h>

enum { RS_GROUP_MAX = 2 * RS_MEMBERS_MAX };

struct rs_group {
	int size, k, m; /* size = k + m */
	int me;         /* place of this role in it */
	int role[RS_GROUP_MAX];
};

/* The group of `role` among np. Each has at least k + m roles, and, where np is no multiple of that, a
 * few more. np >= k + m <= RS_MEMBERS_MAX. */
void rs_group_of(struct rs_group *g, int np, int role, int k, int m);
/* What member i holds in stripe s: a number below k: that chunk of its image; k + j: parity j. */
int rs_place(const struct rs_group *g, int s, int i);
/* The stripe in which member i has its chunk or parity `place`. */
int rs_stripe(const struct rs_group *g, int i, int place);
/* The member that has that place in stripe s. */
int rs_member(const struct rs_group *g, int s, int place);

/* Add chunk `place` (below k) of a stripe to its parity j, which must begin as zeros. A shorter
 * chunk counts as filled up with zeros. */
void rs_add(const struct rs_group *g, int j, int place, const void *chunk, size_t bytes, void *parity);
/* Compute what stands at place `lost` of a stripe from k others. place: k of them; block: their
 * contents, all `bytes` long. */
void rs_recover(const struct rs_group *g, int lost, const int *place, void *const *block, size_t bytes,
		void *out);

#endif

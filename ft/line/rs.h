/* ft/line/rs.h - Reed-Solomon parity over the images of a group of roles: who holds what, and the
 * algebra.
 *
 * Consecutive roles, which tend to share a node, belong to different groups. A group of n roles has
 * n stripes. The image of each member is cut into k = n - m chunks; stripe s takes a chunk of k
 * members and its m parity chunks lie with the other m, so that every member holds the same amount
 * of parity: m chunks, m/k of an image. Any m members may be lost. (A layout as in RAID 6; GF(256)
 * by ISA-L with a Cauchy matrix.) No MPI here. */
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

/* The group of `role` among np. Each has k + m roles, or a few more if k + m does not divide np. np
 * >= k + m
 * <= RS_MEMBERS_MAX. */
void rs_group_of(struct rs_group *g, int np, int role, int k, int m);
/* What member i holds in stripe s. Below k: this chunk of its image; k + j: parity j. */
int rs_place(const struct rs_group *g, int s, int i);
/* The stripe in which member i has its chunk or parity `place`. */
int rs_stripe(const struct rs_group *g, int i, int place);
/* The member that has that place in stripe s. */
int rs_member(const struct rs_group *g, int s, int place);

/* Add chunk `place` (below k) of a stripe to its parity j, which must begin as zeros. A shorter
 * chunk counts as filled up with zeros. */
void rs_add(const struct rs_group *g, int j, int place, const void *chunk, size_t bytes,
	    void *parity);
/* Compute the block at place `lost` of a stripe from k others. place: their k places; block: their
 * contents, `bytes` each. */
void rs_recover(const struct rs_group *g, int lost, const int *place, void *const *block,
		size_t bytes, void *out);

#endif

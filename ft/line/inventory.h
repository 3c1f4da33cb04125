/* ft/line/inventory.h - who holds what, known to all (private to ft/). */
#ifndef FT_LINE_INVENTORY_H
#define FT_LINE_INVENTORY_H

#include "ft/line/image_store.h"

/* What one role brings. */
struct holding {
	int32_t node;
	int32_t needs;                  /* its state has to be restored */
	int32_t copies_tried, rs_tried; /* sources in vain so far */
	int64_t own[KEEP_GENERATIONS];  /* iterations, -1: none */
	int64_t parity[KEEP_GENERATIONS];
	int64_t ward[BUDDIES_MAX][KEEP_GENERATIONS];
	int32_t ward_role[BUDDIES_MAX][KEEP_GENERATIONS];
};

/* All np of them, and the generation that is wanted. */
struct muster {
	int np;
	int64_t iter;
	struct holding *of;
};

/* Without what this role needs and has tried. */
void muster_describe(const struct keep *k, int node, struct holding *out);

/* Partners by where all roles are now. RB_OK or RB_ENOMEM. */
int muster_strides(const struct muster *m, struct keep *k);

bool muster_has_own(const struct muster *m, int role);
bool muster_has_parity(const struct muster *m, int role);
/* Where a copy of `role` lies with `holder`: b; -1: nowhere. */
int muster_copy(const struct muster *m, int holder, int role);
/* Is it where it belongs if the role's partner b is this holder? */
bool muster_has_ward(const struct muster *m, int holder, int role, int b);
/* The nth role that holds a copy of `role`, -1: there are not so many. */
int muster_holder(const struct muster *m, int role, int nth);
/* Was this holder's copy of `role`, or the parity of the role's group, tried in vain in this restoration? */
bool muster_copy_refused(const struct muster *m, int holder, int role);
bool muster_parity_refused(const struct muster *m, int role);
/* The first k places of a stripe that are there, without `lost`. false: there are fewer. */
bool muster_places(const struct muster *m, const struct rs_group *g, int stripe, int lost, int *place);
/* Can member i's image be computed? */
bool muster_decodable(const struct muster *m, const struct rs_group *g, int i);
/* The newest generation before the one that is wanted of which anybody holds something of `role`; 0:
 * none. */
int64_t muster_older(const struct muster *m, const struct rs_group *g, int role);

#endif

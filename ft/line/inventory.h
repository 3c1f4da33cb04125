/* ft/line/inventory.h - who holds what, known to all (private to ft/). */
#ifndef FT_LINE_INVENTORY_H
#define FT_LINE_INVENTORY_H

#include "ft/line/image_store.h"

/* What one role brings. */
struct holding {
	int32_t node;
	int32_t needs;                  /* its state has to be restored */
	int32_t copies_tried, rs_tried; /* sources in vain so far */
	int64_t own[IMAGE_GENERATIONS];  /* iterations, -1: none */
	int64_t parity[IMAGE_GENERATIONS];
	int64_t copy[BUDDIES_MAX][IMAGE_GENERATIONS];
	int32_t copy_role[BUDDIES_MAX][IMAGE_GENERATIONS];
};

/* What all np of them hold, and what is wanted. Not owned: line. */
struct inventory {
	int np;
	const int64_t *line; /* np: the generation that is wanted of each role */
	struct holding *of;
};

/* Without what this role needs and has tried. */
void inventory_describe(const struct image_store *k, int node, struct holding *out);

/* Partners by where all roles are now. RB_OK or RB_ENOMEM. */
int inventory_strides(const struct inventory *m, struct image_store *k);

bool inventory_has_own(const struct inventory *m, int role);
bool inventory_has_parity(const struct inventory *m, int role);
/* Where a copy of `role` lies with `holder`: b; -1: nowhere. */
int inventory_copy_of(const struct inventory *m, int holder, int role);
/* Is it where it belongs if the role's partner b is this holder? */
bool inventory_has_copy(const struct inventory *m, int holder, int role, int b);
/* The nth role that holds a copy of `role`, -1: there are not so many. */
int inventory_holder(const struct inventory *m, int role, int nth);
/* Was this holder's copy of `role`, or the parity of the role's group, tried in vain in this restoration? */
bool inventory_copy_refused(const struct inventory *m, int holder, int role);
bool inventory_parity_refused(const struct inventory *m, int role);
/* The first k places of a stripe that are there, without `lost`. false: there are fewer. */
bool inventory_places(const struct inventory *m, const struct rs_group *g, int stripe, int lost, int *place);
/* Can member i's image be computed? */
bool inventory_decodable(const struct inventory *m, const struct rs_group *g, int i);
/* The newest generation before the one that is wanted of which anybody holds something of `role`; 0:
 * none. */
int64_t inventory_older(const struct inventory *m, const struct rs_group *g, int role);

#endif

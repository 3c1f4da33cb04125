/* ft/line/inventory.h - which role holds which images (private to ft/). */
#ifndef FT_LINE_INVENTORY_H
#define FT_LINE_INVENTORY_H

#include "ft/line/image_store.h"

/* What one role brings. */
struct holding {
	int32_t node;
	int32_t needs;                  /* its state has to be restored */
	int32_t copies_tried, rs_tried; /* sources in vain so far */
	int64_t own[IMAGE_GENERATIONS]; /* iterations, -1: none */
	int64_t parity[IMAGE_GENERATIONS];
	int64_t copy[BUDDIES_MAX][IMAGE_GENERATIONS];
	int32_t copy_role[BUDDIES_MAX][IMAGE_GENERATIONS];
};

/* What all np roles hold, and what is wanted. Not owned: line. */
struct inventory {
	int np;
	const int64_t *line; /* np: the generation that is wanted of each role */
	struct holding *of;
};

/* Fill in all but what this role needs and has tried. */
void inventory_describe(const struct image_store *k, int node, struct holding *out);

/* Choose partners by the nodes of all roles. RB_OK or RB_ENOMEM. */
int inventory_choose_partners(const struct inventory *m, struct image_store *k);

bool inventory_has_own(const struct inventory *m, int role);
bool inventory_has_parity(const struct inventory *m, int role);
/* The number b of a copy of `role` that `holder` has; -1: none. */
int inventory_copy_of(const struct inventory *m, int holder, int role);
/* Does `holder` have a copy of `role` as its partner b? */
bool inventory_has_copy(const struct inventory *m, int holder, int role, int b);
/* The nth role that holds a copy of `role`, -1: there are fewer. */
int inventory_holder(const struct inventory *m, int role, int nth);
/* Was this holder's copy of `role`, or the parity of the role's group, tried in vain in this
 * restoration? */
bool inventory_copy_refused(const struct inventory *m, int holder, int role);
bool inventory_parity_refused(const struct inventory *m, int role);
/* The first k available places of a stripe, without `lost`. false: there are fewer. */
bool inventory_places(const struct inventory *m, const struct rs_group *g, int stripe, int lost,
		      int *place);
/* Can member i's image be computed? */
bool inventory_decodable(const struct inventory *m, const struct rs_group *g, int i);
/* The newest generation before the wanted one in which any role holds a part of `role`; 0: none. */
int64_t inventory_older(const struct inventory *m, const struct rs_group *g, int role);

#endif

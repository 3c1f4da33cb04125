/* harness/kind/elc/elc_order.h - in which order a sweep of runs with --protocol makes them, and how
 * many runs it makes before for no record. */
#ifndef HARNESS_KIND_ELC_ELC_ORDER_H
#define HARNESS_KIND_ELC_ELC_ORDER_H

#include "base/error.h"
#include "harness/options/yaml.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elc_order {
	bool random;
	int64_t seed, warm_up; /* warm_up: runs of each program before its first record */
	int *place;            /* the points in their order */
};

/* Is it a key that says nothing of a run? */
bool elc_order_key(const char *key);
/* Read the keys order, order_seed and warm_up. RB_OK or RB_EINVAL. */
int elc_order_read(struct elc_order *o, struct yaml_file *file, struct rb_error *err);
/* Draw the order of all points. reference: of each point the one that it is compared with, which
 * comes before; -1: none. RB_OK or RB_ENOMEM. */
int elc_order_draw(struct elc_order *o, const int *reference, size_t count, struct rb_error *err);
/* Say it in sweep.json. */
void elc_order_describe(const struct elc_order *o, json_t *list);
void elc_order_free(struct elc_order *o);

#endif

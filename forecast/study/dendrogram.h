/* forecast/study/dendrogram.h - hierarchical clusters by traffic, with single linkage.
 *
 * At the height h, the clusters are the ranks that are connected by pairs that exchange at least h
 * bytes, both directions together. Time grows with C log C for C channels, memory with C (24 B
 * each, while it is made) and the ranks (16 B each). */
#ifndef FORECAST_STUDY_DENDROGRAM_H
#define FORECAST_STUDY_DENDROGRAM_H

#include "forecast/study/exchange.h"

struct dendrogram {
	int32_t *parent; /* np: of a forest whose paths are short */
	int32_t *size;   /* np: ranks below a root */
	int64_t *height; /* np: at which a rank was joined to its parent */
};

/* RB_OK or RB_ENOMEM. */
int dendrogram_make(struct dendrogram *d, const struct exchange *e);
void dendrogram_free(struct dendrogram *d);
/* The height of the smallest cluster with both ranks; 0: they are in none. */
int64_t dendrogram_height(const struct dendrogram *d, int a, int b);

#endif

/* forecast/study/components.h - ranks that always roll back together, and how many roll back with
 * each of them.
 *
 * If rank d rolls back, every rank s rolls back whose messages to d are in no log: the edge d -> s.
 * A rollback set is what a victim reaches over such edges. Ranks that reach each other have the
 * same set; they are a strongly connected component. One pass (R. Tarjan, SIAM J. Comput. 1, 1972)
 * finds them all, and the edges between components have no cycle. There, the sets of 512 victims at
 * a time are followed in topological order, with a bit for each victim, and counted by bit. So
 * nothing is searched, and no victim has a search of its own: time grows with (V + E) V / 512 for V
 * components and E edges between them, but only components that the 512 reach are touched. Memory:
 * 25 B per rank, 8 B per edge, 81 B per component. */
#ifndef FORECAST_STUDY_COMPONENTS_H
#define FORECAST_STUDY_COMPONENTS_H

#include "ft/recovery/closure.h"

struct components {
	int np, count;
	/* np: the component of a rank; edges lead to the same one or to one with a smaller
	 * number */
	int32_t *of;
	int32_t *size; /* count: its ranks */
	size_t *first; /* count + 1: where the edges of each begin */
	int32_t *to;   /* first[count]: the other component, each once */
};

/* c: the channels that are off, with holes of any age. RB_OK or RB_ENOMEM. */
int components_make(struct components *x, const struct channels *c);
void components_free(struct components *x);

/* reach[count]: ranks in all components that a component reaches, its own included: the size of the
 * rollback set of each of its ranks. RB_OK or RB_ENOMEM. */
int components_reach(const struct components *x, int32_t *reach);

#endif

/* forecast/dataflow.h - what data-flow rollback would recompute, by the cone of a run
 * (ft/recovery/cone.h). */
#ifndef FORECAST_DATAFLOW_H
#define FORECAST_DATAFLOW_H

#include <stdbool.h>
#include <stdint.h>

struct moment;
struct pattern;

/* For one assumption about the fronts and the logs of all roles. All zero: empty. */
struct dataflow {
	int np;
	int64_t front; /* of the role that is furthest */
	/* np: iterations that the duplicate of a role commits, 0: it only sends; -1: it has none */
	int64_t *supported;
	/* np: messages from the role to a restarted one; 0: restarted; -1: takes no part */
	int32_t *distance;
	bool *active; /* np: has no duplicate and replays from its log to a restarted role */
	/* np: the rollback set of the same failure with the same policy without duplicates */
	bool *rolled;
	struct {                              /* summed over all roles */
		int64_t restarted, supported; /* of restarted roles and on duplicates */
		/* of these, what is in the cone: with `flat` less than both */
		int64_t cone;
		/* with the same policy; reductions over all roles are left out */
		int64_t rollback;
		int64_t full_logging, global; /* with policies `all` and `none` */
	} iterations;
	/* if so many iterations are lost, all roles take part; 0: not in this case */
	int64_t global_after;
};

/* A failure: `checkpoint` is the entry of all roles in the recovery line. at: with the gaps of all
 * roles that are not dead; they are sorted. */
struct dataflow_case {
	const struct pattern *pattern;
	struct moment *at;
	const bool *dead;    /* np */
	const int64_t *line; /* np */
	int64_t checkpoint;
	bool flat; /* roles of the cone repeat everything */
};

/* RB_OK, RB_ENOMEM, or RB_EINVAL: see cone_find(). dataflow_free() in any case. */
int dataflow_find(struct dataflow *d, const struct dataflow_case *x);
void dataflow_free(struct dataflow *d);

/* Is it the same for both assumptions? */
bool dataflow_same(const struct dataflow *a, const struct dataflow *b);

#endif

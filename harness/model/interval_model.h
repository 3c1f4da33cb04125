/* harness/model/interval_model.h - what checkpoints and deaths cost, and how far apart checkpoints should be. */
#ifndef HARNESS_MODEL_INTERVAL_MODEL_H
#define HARNESS_MODEL_INTERVAL_MODEL_H

#include <jansson.h>
#include <stdbool.h>

struct interval_costs {
	double iteration;  /* seconds, without checkpoints */
	double checkpoint; /* seconds that the iterations wait for one */
	double latency;    /* seconds from taking it until it counts: rework goes back further by that */
	double recovery;   /* from the death until the lost iterations begin to be repeated */
	double rework;     /* seconds a repeated iteration takes, in iterations of normal operation */
};

/* recovery and rework of one failure of a record (docs/record.md), c->iteration being known. false, and nothing
 * set, if one of the times that make them was not measured or nothing had to be repeated: such a failure
 * tells nothing, it does not cost nothing. */
bool interval_death(const json_t *failure, bool restart, struct interval_costs *c);

/* J. W. Young, CACM 17 (1974): sqrt(2 C M). Repeated work at a fraction of its first cost counts as
 * if deaths were that much rarer. */
double interval_young(const struct interval_costs *c, double mtbf_s);
/* J. T. Daly, FGCS 22 (2006), Eq. 37. */
double interval_daly(const struct interval_costs *c, double mtbf_s);

#endif

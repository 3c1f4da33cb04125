/* forecast/optimal_interval.h - how far apart checkpoints should be, and what a run with failures
 * takes then, by formulas for an endless run.
 *
 * J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17 (1974).
 * J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps",
 * FGCS 22 (2006). */
#ifndef FORECAST_OPTIMAL_INTERVAL_H
#define FORECAST_OPTIMAL_INTERVAL_H

#include <stdint.h>

/* What checkpoints and failures cost. */
struct interval_costs {
	double iteration_s;  /* without checkpoints */
	double checkpoint_s; /* that the iterations wait for one */
	/* from taking it until it counts: repeated work begins so much further back */
	double latency_s;
	double recovery_s; /* from the death until lost iterations begin to be repeated */
	double rework;     /* what a repeated iteration takes, in iterations of normal operation */
};

/* Seconds of work between two checkpoints with the least time lost. mtbf_s: mean time between two
 * failures anywhere in the job, above 0. Repeated work at a fraction of its first cost counts as if
 * failures were that much rarer. */
double optimal_young(const struct interval_costs *c, double mtbf_s);
double optimal_daly(const struct interval_costs *c, double mtbf_s); /* Daly, Eq. 37 */
/* The same time in iterations, at least 1. */
int64_t optimal_iterations(const struct interval_costs *c, double seconds);
/* Seconds until work_s without a failure have passed, if a failure begins them again behind a
 * recovery (Daly, Eq. 20). */
double optimal_expected(const struct interval_costs *c, double mtbf_s, double work_s);
/* The share of time that checkpoints, recoveries and repeated work take. */
double optimal_wasted(const struct interval_costs *c, double mtbf_s, double interval_s);

#endif

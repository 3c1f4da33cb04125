#include "forecast/optimal_interval.h"

#include <math.h>

double optimal_young(const struct interval_costs *c, double mtbf_s)
{
	return sqrt(2 * c->checkpoint_s * mtbf_s / c->rework);
}

double optimal_daly(const struct interval_costs *c, double mtbf_s)
{
	const double rare = mtbf_s / c->rework, x = c->checkpoint_s / (2 * rare);

	if (c->checkpoint_s >= 2 * rare)
		return rare;
	return sqrt(2 * c->checkpoint_s * rare) * (1 + sqrt(x) / 3 + x / 9) - c->checkpoint_s;
}

int64_t optimal_iterations(const struct interval_costs *c, double seconds)
{
	const double count = floor(seconds / c->iteration_s + 0.5);

	return count < 1 ? 1 : count < 1e18 ? (int64_t)count : (int64_t)1e18;
}

double optimal_expected(const struct interval_costs *c, double mtbf_s, double work_s)
{
	return mtbf_s * exp(c->recovery_s / mtbf_s) * expm1(work_s / mtbf_s);
}

double optimal_wasted(const struct interval_costs *c, double mtbf_s, double interval_s)
{
	return c->checkpoint_s / interval_s +
	       (c->recovery_s + c->rework * (interval_s / 2 + c->latency_s)) / mtbf_s;
}

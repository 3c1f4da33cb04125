#include "harness/model/interval_model.h"

#include <math.h>

/* NaN if it was not measured. */
static double seconds(const json_t *failure, const char *key)
{
	const json_t *value = json_object_get(failure, key);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

bool interval_death(const json_t *failure, bool restart, struct interval_costs *c)
{
	double back = seconds(failure, "iteration") - seconds(failure, "checkpoint");
	double recovery = restart ? seconds(failure, "restart_s") :
				    seconds(failure, "resume_s") + seconds(failure, "restore_s");
	double catchup = seconds(failure, "catchup_s");

	if (!isfinite(recovery) || !(back >= 1) || !(catchup > 0))
		return false;
	c->recovery = recovery;
	c->rework = catchup / c->iteration / back;
	return true;
}

double interval_young(const struct interval_costs *c, double mtbf_s)
{
	return sqrt(2 * c->checkpoint * mtbf_s / c->rework);
}

double interval_daly(const struct interval_costs *c, double mtbf_s)
{
	double rare = mtbf_s / c->rework, x = c->checkpoint / (2 * rare);

	if (c->checkpoint >= 2 * rare)
		return rare;
	return sqrt(2 * c->checkpoint * rare) * (1 + sqrt(x) / 3 + x / 9) - c->checkpoint;
}

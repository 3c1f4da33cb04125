#include "harness/model/energy_model.h"

#include <math.h>

double energy_time_global(const struct energy_load *l)
{
	return l->solve_s + l->rework_s;
}

double energy_time_local(const struct energy_model *m, const struct energy_load *l)
{
	return l->solve_s / m->lambda + l->rework_s / m->mu;
}

double energy_global(const struct energy_load *l)
{
	return l->solve_s + l->rework_s;
}

double energy_local(const struct energy_model *m, const struct energy_load *l)
{
	return l->solve_s / m->lambda + m->c * l->rework_s / m->mu;
}

/* What logging costs in a second of solving, and what each equation says local rollback gains in a
 * second of rework. */
static double overhead(const struct energy_model *m)
{
	return (1 - m->lambda) / m->lambda;
}

static double gain(const struct energy_model *m)
{
	return 1 - m->c / m->mu;
}

static double gain_printed(const struct energy_model *m)
{
	return (1 - m->c) / m->mu;
}

double energy_difference(const struct energy_model *m, const struct energy_load *l)
{
	return overhead(m) * l->solve_s - gain(m) * l->rework_s;
}

double energy_difference_printed(const struct energy_model *m, const struct energy_load *l)
{
	return (1 - m->lambda) * l->solve_s - gain_printed(m) * l->rework_s;
}

static double share(double cost, double gained)
{
	return gained > 0 ? cost / gained : INFINITY;
}

double energy_break_even(const struct energy_model *m)
{
	return share(overhead(m), gain(m));
}

double energy_break_even_printed(const struct energy_model *m)
{
	return share(1 - m->lambda, gain_printed(m));
}

double energy_break_even_quoted(const struct energy_model *m)
{
	return share(1 - m->lambda, m->mu * (1 - m->c));
}

/* How long the next step may be. */
#include "kernels/lulesh/domain.h"

#include <math.h>

static const double NO_LIMIT = 1e20, STOP_TIME = 1e-2, DT_MAX = 1e-2;
static const double GROWTH_LEAST = 1.1, GROWTH_MOST = 1.2, DVOV_MAX = 0.1;
static const double Q_QUADRATIC = 2.0;

void no_limits(struct clock *c)
{
	c->dt_courant = c->dt_hydro = NO_LIMIT;
}

void calc_limits(const struct kernel_state *s, int64_t j, int64_t k, struct clock *c)
{
	const int64_t first = first_of_row(s, j, k);
	const double factor = 64 * Q_QUADRATIC * Q_QUADRATIC;
	const double *rates = s->dvdt + first, *sound = s->sound + first;
	const double *length = s->length + first;
	double courant = c->dt_courant, hydro = c->dt_hydro;

#pragma omp simd reduction(min : courant, hydro)
	for (int64_t i = 0; i < s->edge; i++) {
		double rate = rates[i], inward = lesser(rate, 0);
		double speed =
			sound[i] * sound[i] + factor * length[i] * length[i] * inward * inward;
		double dt = rate == 0 ? NO_LIMIT : length[i] / sqrt(speed);

		/* NaN becomes 0, which ends the run: a minimum may lose it. */
		courant = lesser(courant, dt >= 0 ? dt : 0);
		hydro = lesser(hydro, rate == 0 ? NO_LIMIT : DVOV_MAX / (fabs(rate) + 1e-20));
	}
	c->dt_courant = courant;
	c->dt_hydro = hydro;
}

/* A step may shrink at once but grows slowly, and the last two share the time left. */
void advance_clock(struct clock *c, double dt_courant, double dt_hydro)
{
	double target = STOP_TIME - c->time, limit = NO_LIMIT;

	if (dt_courant < limit)
		limit = dt_courant / 2;
	if (dt_hydro < limit)
		limit = dt_hydro * 2 / 3;

	if (c->steps > 0) {
		double ratio = limit / c->dt;

		if (ratio >= 1 && ratio < GROWTH_LEAST)
			limit = c->dt;
		else if (ratio > GROWTH_MOST)
			limit = c->dt * GROWTH_MOST;
		c->dt = lesser(limit, DT_MAX);
	}
	if (target > c->dt && target < 4 * c->dt / 3)
		target = 2 * c->dt / 3;
	if (target < c->dt)
		c->dt = target;
	c->time += c->dt;
	c->steps++;
}

/* Is the step too small to advance the time? NaN counts as collapsed, too. */
bool clock_collapsed(const struct clock *c)
{
	return !(c->dt > 0 && (c->time - c->dt) < c->time);
}

bool clock_stopped(const struct clock *c)
{
	return c->time >= STOP_TIME;
}

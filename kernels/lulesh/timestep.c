/* How long the next step may be. */
#include "kernels/lulesh/domain.h"

#include <math.h>

static const double NO_LIMIT = 1e20, STOP_TIME = 1e-2, DT_MAX = 1e-2;
static const double GROWTH_LEAST = 1.1, GROWTH_MOST = 1.2, DVOV_MAX = 0.1;
static const double Q_QUADRATIC = 2.0;

void calc_limits(struct kernel_state *s, struct clock *c)
{
	const double factor = 64 * Q_QUADRATIC * Q_QUADRATIC;

	c->dt_courant = c->dt_hydro = NO_LIMIT;
	for (int64_t e = 0; e < s->elements; e++) {
		double rate = s->dvdt[e], speed = s->sound[e] * s->sound[e], dt;

		if (rate == 0)
			continue;
		if (rate < 0)
			speed += factor * s->length[e] * s->length[e] * rate * rate;
		dt = s->length[e] / sqrt(speed);
		c->dt_courant = lesser(c->dt_courant, dt);
		c->dt_hydro = lesser(c->dt_hydro, DVOV_MAX / (fabs(rate) + 1e-20));
	}
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

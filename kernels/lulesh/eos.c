/* Equation of state of an ideal-gas-like material, by predictor and corrector of the energy. */
#include "kernels/lulesh/domain.h"

#include <math.h>

static const double E_CUT = 1e-7, P_CUT = 1e-7, Q_CUT = 1e-7, V_CUT = 1e-10;
static const double V_MAX = 1e9, V_MIN = 1e-9, P_MIN = 0, E_MIN = -1e15, DENSITY0 = 1;
static const double C1S = 2.0 / 3.0;

static inline double cut(double value, double limit)
{
	return fabs(value) < limit ? 0 : value;
}

static inline double pressure_of(double energy, double compression, double volume)
{
	double p = cut(C1S * (compression + 1) * energy, P_CUT);

	if (volume >= V_MAX)
		p = 0;
	return p < P_MIN ? P_MIN : p;
}

static inline double sound_of(double energy, double compression, double volume, double pressure)
{
	double square =
		(C1S * energy + volume * volume * C1S * (compression + 1) * pressure) / DENSITY0;

	return square <= 0.1111111e-36 ? 0.3333333e-18 : sqrt(square);
}

static inline double at_least(double energy)
{
	return energy < E_MIN ? E_MIN : energy;
}

/* The element at the end of the step; docs/kernels.md names the stages. */
static inline void element_state(struct kernel_state *s, int64_t e)
{
	double volume = lesser(greater(s->volume_next[e], V_MIN), V_MAX), dv = s->delta_volume[e];
	double linear = s->q_linear[e], quadratic = s->q_quadratic[e];
	double p_old = s->pressure[e], q_old = s->q[e];
	double compression = 1 / volume - 1, half = 1 / (volume - 0.5 * dv) - 1;
	double energy, p_half, q_half, v_half, p, q, q_tilde;

	if (volume <= V_MIN)
		half = compression;
	if (volume >= V_MAX)
		p_old = compression = half = 0;
	energy = at_least(s->energy[e] - 0.5 * dv * (p_old + q_old));
	p_half = pressure_of(energy, half, volume);
	v_half = 1 / (1 + half);
	q_half = dv > 0 ? 0 : sound_of(energy, half, v_half, p_half) * linear + quadratic;
	energy += 0.5 * dv * (3 * (p_old + q_old) - 4 * (p_half + q_half));
	energy = at_least(cut(energy, E_CUT));
	p = pressure_of(energy, compression, volume);
	q_tilde = dv > 0 ? 0 : sound_of(energy, compression, volume, p) * linear + quadratic;
	energy -= (7 * (p_old + q_old) - 8 * (p_half + q_half) + (p + q_tilde)) * dv / 6;
	energy = at_least(cut(energy, E_CUT));
	p = pressure_of(energy, compression, volume);
	q = dv > 0 ? q_half
		   : cut(sound_of(energy, compression, volume, p) * linear + quadratic, Q_CUT);
	s->energy[e] = energy;
	s->pressure[e] = p;
	s->q[e] = q;
	s->sound[e] = sound_of(energy, compression, volume, p);
	s->volume[e] = fabs(s->volume_next[e] - 1) < V_CUT ? 1 : s->volume_next[e];
}

void calc_state(struct kernel_state *s)
{
	for (int64_t e = 0; e < s->elements; e++)
		element_state(s, e);
}

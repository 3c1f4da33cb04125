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

/* An element before a step and after it. */
struct material {
	double energy, pressure, q, sound;
};

/* The element at the end of the step; docs/kernels.md names the stages. */
static inline struct material next_material(struct material m, double volume, double dv,
					    double linear, double quadratic)
{
	double p_old = m.pressure, q_old = m.q;
	double compression, half, energy, p_half, q_half, v_half, p, q, q_tilde;

	volume = lesser(greater(volume, V_MIN), V_MAX);
	compression = 1 / volume - 1;
	half = 1 / (volume - 0.5 * dv) - 1;
	if (volume <= V_MIN)
		half = compression;
	if (volume >= V_MAX)
		p_old = compression = half = 0;
	energy = at_least(m.energy - 0.5 * dv * (p_old + q_old));
	p_half = pressure_of(energy, half, volume);
	v_half = 1 / (1 + half);
	q_half = sound_of(energy, half, v_half, p_half) * linear + quadratic;
	q_half = dv > 0 ? 0 : q_half;
	energy += 0.5 * dv * (3 * (p_old + q_old) - 4 * (p_half + q_half));
	energy = at_least(cut(energy, E_CUT));
	p = pressure_of(energy, compression, volume);
	q_tilde = sound_of(energy, compression, volume, p) * linear + quadratic;
	q_tilde = dv > 0 ? 0 : q_tilde;
	energy -= (7 * (p_old + q_old) - 8 * (p_half + q_half) + (p + q_tilde)) * dv / 6;
	energy = at_least(cut(energy, E_CUT));
	p = pressure_of(energy, compression, volume);
	m.sound = sound_of(energy, compression, volume, p);
	q = cut(m.sound * linear + quadratic, Q_CUT);
	m.energy = energy;
	m.pressure = p;
	m.q = dv > 0 ? q_half : q;
	return m;
}

void calc_state(struct kernel_state *s, int64_t j, int64_t k)
{
	const int64_t first = first_of_row(s, j, k);
	double *energy = s->energy + first, *pressure = s->pressure + first, *q = s->q + first;
	double *sound = s->sound + first, *volume = s->volume + first;
	const double *volume_next = s->volume_next + first;
	const double *linear = s->row.q_linear, *quadratic = s->row.q_quadratic;

#pragma omp simd
	for (int64_t i = 0; i < s->edge; i++) {
		struct material m = { .energy = energy[i], .pressure = pressure[i], .q = q[i] };

		m = next_material(m, volume_next[i], volume_next[i] - volume[i], linear[i],
				  quadratic[i]);
		energy[i] = m.energy;
		pressure[i] = m.pressure;
		q[i] = m.q;
		sound[i] = m.sound;
		volume[i] = fabs(volume_next[i] - 1) < V_CUT ? 1 : volume_next[i];
	}
}

#include "base/resample.h"

#include "base/mix.h"
#include "base/quantile.h"

#include <math.h>
#include <stdbool.h>

enum { ROUNDS = 4000, SHUFFLES = 20000, EXHAUSTIVE = 16, SEED = 1 };

double mean(const double *value, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i];
	return count > 0 ? sum / (double)count : NAN;
}

void mean_95(const double *value, size_t count, double *low, double *high)
{
	double found[ROUNDS];
	uint64_t state = SEED;

	for (size_t k = 0; k < ROUNDS; k++) {
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += value[mix_draw(&state) % count];
		found[k] = sum / (double)count;
	}
	sort_numbers(found, ROUNDS);
	*low = found[(size_t)(0.025 * ROUNDS)];
	*high = found[(size_t)(0.975 * ROUNDS)];
}

/* With the sign of each number by a bit, of `bits` first and then of random ones. */
static double sum_signed(const double *number, size_t count, uint64_t bits, uint64_t *state)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0 && i % 64 == 0)
			bits = mix_draw(state);
		sum += bits >> i % 64 & 1 ? number[i] : -number[i];
	}
	return sum;
}

double paired_permutation(const double *difference, size_t count)
{
	const bool all = count <= EXHAUSTIVE;
	const uint64_t ways = all ? UINT64_C(1) << count : SHUFFLES;
	uint64_t state = SEED, hits = 0;
	/* sums in another order may differ in the last digits */
	const double least = fabs(mean(difference, count) * (double)count) * (1 - 1e-12);

	for (uint64_t k = 0; k < ways; k++)
		hits += fabs(sum_signed(difference, count, all ? k : mix_draw(&state), &state)) >=
			least;
	return all ? (double)hits / (double)ways : (double)(hits + 1) / (double)(ways + 1);
}

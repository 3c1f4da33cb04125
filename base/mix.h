/* base/mix.h - pseudo-random numbers that can be repeated: splitmix64. */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stddef.h>
#include <stdint.h>

#define MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The number that follows state x. All seeds are equally good. */
static inline uint64_t mix(uint64_t x)
{
	x += MIX_STEP;
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The next number of the sequence. */
static inline uint64_t mix_draw(uint64_t *state)
{
	uint64_t x = mix(*state);

	*state += MIX_STEP;
	return x;
}

/* Give the numbers another order (Fisher and Yates). */
static inline void mix_shuffle(int *list, size_t count, uint64_t state)
{
	for (size_t i = count; i > 1; i--) {
		size_t k = mix_draw(&state) % i;
		int swap = list[i - 1];

		list[i - 1] = list[k];
		list[k] = swap;
	}
}

#endif

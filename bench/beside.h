/* bench/beside.h - the CPU time of this process, and a triad to hold a speed against. */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIAD = 1 << 24, TRIAD_BYTES = 24 };

/* What others do on this core does not count, other than their use of the memory. */
static inline double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double less(double a, double b)
{
	return a < b ? a : b;
}

static inline double more(double a, double b)
{
	return a > b ? a : b;
}

/* The three arrays of a triad, one behind the other: freed by free(). Ends the program if there is
 * no memory. */
static inline double *triad_arrays(void)
{
	double *list = calloc(3 * (size_t)TRIAD, sizeof *list);

	if (!list) {
		fprintf(stderr, "triad: out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < 3 * (size_t)TRIAD; i++)
		list[i] = 1e-30 * (double)i;
	return list;
}

/* Bytes per second. */
static inline double triad(double *list)
{
	const double begin = cpu_seconds(), *b = list + TRIAD, *c = b + TRIAD;

	for (size_t i = 0; i < TRIAD; i++)
		list[i] = b[i] + 3 * c[i];
	return (double)TRIAD_BYTES * TRIAD / (cpu_seconds() - begin + 1e-12 * list[TRIAD / 2]);
}

#endif

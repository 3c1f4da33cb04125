/* kernels/lulesh/lanes.h - one quantity of several elements that follow each other, as a vector.
 *
 * All lanes compute the same expression, and none looks at another one. So the result of an
 * element depends neither on its lane nor on LANES, which is as many as one register holds. */
#ifndef KERNELS_LULESH_LANES_H
#define KERNELS_LULESH_LANES_H

#include "kernels/vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES = VECTOR_DOUBLES };

typedef vector lanes;
/* Of each lane: all bits set (true), or none. What comparing lanes gives. */
typedef int64_t lanes_mask __attribute__((vector_size(LANES * sizeof(int64_t))));

/* LANES doubles from an address of any alignment. */
static inline lanes lanes_load(const double *from)
{
	return vector_load(from);
}

static inline lanes lanes_broadcast(double value)
{
	double out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = value;
	return lanes_load(out);
}

/* The first `count` lanes. */
static inline void lanes_store(double *to, lanes from, int count)
{
	if (count == LANES)
		vector_store(to, from);
	else
		memcpy(to, &from, (size_t)count * sizeof(double));
}

static inline lanes lanes_select(lanes_mask which, lanes yes, lanes no)
{
	return (lanes)((which & (lanes_mask)yes) | (~which & (lanes_mask)no));
}

static inline lanes lanes_max(lanes a, lanes b)
{
	return lanes_select(a > b, a, b);
}

/* The lanes below `count`. */
static inline lanes_mask lanes_below(int64_t count)
{
	static const int64_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	lanes_mask number;

	memcpy(&number, numbers, sizeof number);
	return number < count;
}

/* Number of the first lane that is true, or -1. */
static inline int lanes_first_true(lanes_mask which)
{
	int64_t any = 0;

	for (int l = 0; l < LANES; l++)
		any |= which[l];
	for (int l = 0; any && l < LANES; l++)
		if (which[l])
			return l;
	return -1;
}

/* A loop of square roots is one instruction, as long as nobody asks for errno (rules.mk). */
static inline lanes lanes_sqrt(lanes a)
{
	for (int l = 0; l < LANES; l++)
		a[l] = sqrt(a[l]);
	return a;
}

/* 1 / cbrt(a) of positive, normal numbers, within two units in the last place. Read as an integer,
 * a double is nearly the logarithm of its value, so minus a third of it, plus a constant, is a
 * first guess: within 3.5 % with the constant that a search has found. With r = 1 - a y^3 the root
 * is y (1 - r)^(-1/3). Four terms of this series leave an error of 2e-5, and then none above the
 * rounding. The C library's cbrt() takes one number at a time, and differs between its releases. */
static inline lanes lanes_inverse_cbrt(lanes a)
{
	const int64_t constant = 0x553ef10000000000;
	/* Only of the upper 32 bits: then the product fits into 64 bits. */
	const lanes_mask third = ((lanes_mask)a >> 32) * 0x55555556;
	lanes y = (lanes)(constant - third);

	for (int i = 0; i < 2; i++) {
		lanes r = 1 - a * y * (y * y);

		y += y * r * (1.0 / 3 + r * (2.0 / 9 + r * (14.0 / 81)));
	}
	return y;
}

#endif

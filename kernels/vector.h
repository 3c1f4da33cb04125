/* kernels/vector.h - as many doubles as one register of the processor holds, non-temporal stores of
 * them, and early requests. */
#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* A test may have defined it: 2, 4 or 8. What is wider than a register, compilers cut into pieces
 * by themselves, but GCC 12 does so through memory. */
#if defined(VECTOR_DOUBLES)
#elif defined(__AVX512F__)
#define VECTOR_DOUBLES 8
#elif defined(__AVX__)
#define VECTOR_DOUBLES 4
#else
#define VECTOR_DOUBLES 2
#endif

typedef double vector __attribute__((vector_size(VECTOR_DOUBLES * sizeof(double))));

/* From an address of any alignment. */
static inline vector vector_load(const double *from)
{
	vector out;

	memcpy(&out, from, sizeof out);
	return out;
}

static inline void vector_store(double *to, vector from)
{
	memcpy(to, &from, sizeof from);
}

/* Request what is `offset` bytes further on, for the second-level cache. It may lie behind the
 * array. */
static inline void vector_request(const void *array, size_t offset)
{
	__builtin_prefetch((const void *)((uintptr_t)array + offset), 0, 2);
}

enum { VECTOR_LINE = 64 / sizeof(double) }; /* of a cache line */

/* Does this build have non-temporal stores? */
static inline bool vector_streams(void)
{
#if defined(__SSE2__)
	return true;
#else
	return false;
#endif
}

/* Doubles from `from` on until a cache line begins. */
static inline int64_t vector_until_line(const double *from)
{
	return (int64_t)(-(uintptr_t)from / sizeof *from % VECTOR_LINE);
}

/* A non-temporal store to an address that is a multiple of the vector's size. A cache line that is
 * written as a whole, one vector behind the other, is not read from memory before. These stores are
 * not ordered with others of this thread until vector_stream_end(), so call it before another
 * thread is told of the data. */
static inline void vector_stream(double *to, vector from)
{
#if defined(__AVX512F__) && VECTOR_DOUBLES == 8
	_mm512_stream_pd(to, (__m512d)from);
#elif defined(__AVX__) && VECTOR_DOUBLES == 4
	_mm256_stream_pd(to, (__m256d)from);
#elif defined(__SSE2__)
	__m128d part[VECTOR_DOUBLES / 2];

	memcpy(part, &from, sizeof part);
	for (int k = 0; k < VECTOR_DOUBLES / 2; k++)
		_mm_stream_pd(to + 2 * k, part[k]);
#else
	vector_store(to, from);
#endif
}

static inline void vector_stream_end(void)
{
#if defined(__SSE2__)
	_mm_sfence();
#endif
}

#endif

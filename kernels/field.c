#include "kernels/field.h"

#include "base/huge_page.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	HEADER = 16, /* with the pointer for free(); keeps malloc()'s alignment */
	LINE = 64,
	SPAN = 4096,       /* of the address bits that a processor compares */
	APART = 17 * LINE, /* of 64 arrays, no two begin at the same line of a span */
	LARGE = 128 << 10,
};

static atomic_uint large_arrays; /* made until now */

/* Bytes from this address to the next that is `place` bytes behind a multiple of `span`. */
static size_t until(const char *address, size_t place, size_t span)
{
	return (place - (uintptr_t)address) % span;
}

/* A hint: of pages that the array covers whole, so that it takes no more memory. */
static void ask_for_huge_pages(char *field, size_t bytes)
{
	const size_t before = until(field, 0, HUGE_PAGE);

	if (bytes >= before + HUGE_PAGE)
		(void)madvise(field + before, (bytes - before) / HUGE_PAGE * HUGE_PAGE,
			      MADV_HUGEPAGE);
}

double *field_new(int64_t length)
{
	const size_t bytes = (size_t)length * sizeof(double), room = bytes < LARGE ? 0 : SPAN;
	char *memory = calloc(1, HEADER + bytes + room), *field;

	if (!memory)
		return NULL;
	field = memory + HEADER;
	if (room > 0)
		field += until(field, atomic_fetch_add(&large_arrays, 1) * APART, SPAN);
	ask_for_huge_pages(field, bytes);
	((char **)field)[-1] = memory;
	return (double *)field;
}

void field_free(double *field)
{
	if (field)
		free(((char **)field)[-1]);
}

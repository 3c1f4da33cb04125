#include "kernels/field.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	HEADER = 16, /* with the pointer for free(); keeps malloc()'s alignment */
	LINE = 64,
	PAGE = 4096,
	APART = 17 * LINE, /* of 64 arrays, no two begin at the same line of a page */
	LARGE = 128 << 10, /* what malloc() maps; smaller arrays follow each other */
	HUGE_PAGE = 2 << 20,
};

static atomic_uint large_arrays; /* made until now */

/* The next address from `from` on that is so many bytes behind the begin of a page. */
static char *at_place(char *from, size_t place)
{
	return from + (place - (uintptr_t)from) % PAGE;
}

double *field_new(int64_t length)
{
	const size_t bytes = (size_t)length * sizeof(double);
	char *memory = calloc(1, HEADER + bytes + (bytes < LARGE ? 0 : PAGE)), *field;

	if (!memory)
		return NULL;
	field = memory + HEADER;
	if (bytes >= LARGE)
		field = at_place(field, atomic_fetch_add(&large_arrays, 1) * APART % PAGE);
	if (bytes >= HUGE_PAGE) {
		char *const first = memory - (uintptr_t)memory % PAGE;

		(void)madvise(first, (size_t)(field + bytes - first), MADV_HUGEPAGE);
	}
	((char **)field)[-1] = memory;
	return (double *)field;
}

void field_free(double *field)
{
	if (field)
		free(((char **)field)[-1]);
}

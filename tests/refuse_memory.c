/* A library to be preloaded: calloc() refuses blocks of one size.
 *
 * REFUSE_BYTES: which size; REFUSE_AFTER: so many of them are granted before, in each process. For
 * recoveries that find no memory for a duplicate of a role's state. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

void *__libc_calloc(size_t count, size_t size);

/* getenv() and strtoull() allocate nothing. */
static unsigned long long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

void *calloc(size_t count, size_t size)
{
	static atomic_ullong granted;

	if (size > 0 && count <= SIZE_MAX / size && count * size == number("REFUSE_BYTES") &&
	    atomic_fetch_add(&granted, 1) >= number("REFUSE_AFTER")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(count, size);
}

/* Buffers for MPI_Bsend that have room for stamps. */
#include "elc/wire/buffer.h"

#include <mpi.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct larger {
	struct larger *next;
	void *program;
	int bytes;
	char buffer[];
};

static struct larger *all;

/* Each message in it takes at least MPI_BSEND_OVERHEAD bytes of the program's buffer. */
static int with_stamps(int bytes)
{
	const int64_t more = 4 * (int64_t)sizeof(int64_t) * (bytes / MPI_BSEND_OVERHEAD + 1);

	return bytes + more > INT_MAX ? INT_MAX : (int)(bytes + more);
}

void *elc_buffer_larger(void *program, int bytes, int *larger)
{
	struct larger *fresh;

	*larger = with_stamps(bytes);
	fresh = malloc(sizeof *fresh + (size_t)*larger);
	if (!fresh)
		return NULL;
	fresh->next = all;
	fresh->program = program;
	fresh->bytes = bytes;
	all = fresh;
	return fresh->buffer;
}

void elc_buffer_back(void *buffer, int *bytes)
{
	struct larger **at = &all, *found;
	void *back;

	memcpy(&back, buffer, sizeof back);
	while (*at && (*at)->buffer != back)
		at = &(*at)->next;
	found = *at;
	if (!found)
		return; /* it is the program's own */
	memcpy(buffer, &found->program, sizeof found->program);
	*bytes = found->bytes;
	*at = found->next;
	free(found);
}

/* What is kept of a call of a collective function, and how it is served. */
#include "elc/mpi/collectives.h"

#include "elc/core/crc.h"

#include <stdlib.h>
#include <string.h>

static MPI_Datatype type_of(const struct elc_blocks *b, int i)
{
	return b->types ? b->types[i] : b->type;
}

int elc_block_count(const struct elc_blocks *b, int i)
{
	return b->count ? b->count[i] : b->each;
}

void *elc_block(const struct elc_blocks *b, int i)
{
	MPI_Aint lower, extent = 1;

	if (!b->types)
		PMPI_Type_get_extent(b->type, &lower, &extent);
	return (char *)b->buf + extent * (b->at ? b->at[i] : (MPI_Aint)i * b->each);
}

/* Packing adds nothing to the bytes of the elements (life.c has checked that). */
static size_t bytes_of(const struct elc_blocks *b, int i)
{
	int size = 0;

	if (elc_block_count(b, i) > 0) /* otherwise its datatype does not matter */
		PMPI_Type_size(type_of(b, i), &size);
	return (size_t)size * (size_t)elc_block_count(b, i);
}

static size_t bytes_of_all(const struct elc_blocks *b)
{
	size_t bytes = 0;

	for (int i = 0; i < b->n; i++)
		bytes += bytes_of(b, i);
	return bytes;
}

/* All blocks, one behind the other (malloc). */
static char *packed(const struct elc_blocks *b, const char *function)
{
	char *data = malloc(bytes_of_all(b) + 1), *at = data;

	if (!data)
		elc_check(-1);
	for (int i = 0; i < b->n; i++) {
		const size_t bytes = bytes_of(b, i);
		int used = 0;

		if (bytes > INT32_MAX)
			elc_fatal(
				"%s: a block of more than 2^31 - 1 bytes may cross line %lld: this "
				"is not covered",
				function, (long long)elc_line_number(&elc.process.line));
		if (bytes > 0)
			elc_succeeded(PMPI_Pack(elc_block(b, i), elc_block_count(b, i),
						type_of(b, i), at, (int)bytes, &used,
						MPI_COMM_WORLD),
				      function);
		at += bytes;
	}
	return data;
}

static void unpack(const struct elc_blocks *b, const char *data)
{
	for (int i = 0; i < b->n; i++) {
		const size_t bytes = bytes_of(b, i);
		int used = 0;

		if (bytes > 0)
			elc_succeeded(PMPI_Unpack(data, (int)bytes, &used, elc_block(b, i),
						  elc_block_count(b, i), type_of(b, i),
						  MPI_COMM_WORLD),
				      "MPI_Unpack");
		data += bytes;
	}
}

static struct elc_part part_of(const struct elc_call *call, const char *function)
{
	struct elc_part part = { .root = call->root,
				 .given = bytes_of_all(&call->given),
				 .got = bytes_of_all(&call->got) };
	char *data = packed(&call->given, function);

	part.crc = elc_crc(0, data, part.given);
	free(data);
	snprintf(part.function, sizeof part.function, "%s", function);
	return part;
}

static void other(const char *function, const struct elc_part *now, const struct elc_part *before,
		  uint32_t comm)
{
	elc_fatal(
		"%s: this program does not repeat its collective functions: behind line %lld, from "
		"which it was restored, this process has called %s on communicator %u here (root "
		"%d, it gave %llu bytes with checksum %08x and got %llu bytes; now root %d, %llu "
		"bytes, %08x, %llu bytes), and others have its result; a program must do the same "
		"after a restart",
		function, (long long)elc.restored, before->function, comm, before->root,
		(unsigned long long)before->given, before->crc, (unsigned long long)before->got,
		now->root, (unsigned long long)now->given, now->crc, (unsigned long long)now->got);
}

bool elc_call_begin(struct elc_call *call, const struct elc_comm *c, const char *function)
{
	struct elc_part part = { .root = call->root };
	int fate;

	if (elc_watching())
		elc_progress();
	call->to = c->collectives;
	if (elc_collective_compares(&elc.process, call->to))
		part = part_of(call, function);
	fate = elc_collective_begin(&elc.process, call->to, &part, &call->number);
	elc_check(fate);
	if (fate == ELC_OTHER)
		other(function, &part, &elc_collective_next(call->to)->part, c->id);
	if (fate == ELC_CALL)
		return true;
	unpack(&call->got, elc_collective_next(call->to)->data);
	elc_collective_taken(&elc.process, call->to);
	return false;
}

void elc_call_end(struct elc_call *call)
{
	if (call->number >= 0)
		elc_collective_end(call->to, call->number,
				   packed(&call->got, "a collective function"));
	for (int i = 0; i < call->nowned; i++)
		if (call->owned[i] != MPI_DATATYPE_NULL)
			PMPI_Type_free(&call->owned[i]);
	free(call->owned);
	call->owned = NULL;
	call->nowned = 0;
}

/* The program may free its datatypes before the function is complete. Its arrays of counts and
 * displacements stay as they are until then (MPI standard). */
static void keep_types(struct elc_call *call)
{
	struct elc_blocks *got = &call->got;
	const int n = got->n == 0 ? 0 : got->types ? got->n : 1;

	call->owned = malloc((size_t)(n + 1) * sizeof(MPI_Datatype));
	if (!call->owned)
		elc_check(-1);
	for (int i = 0; i < n; i++) {
		call->owned[i] = type_of(got, i);
		if (call->owned[i] != MPI_DATATYPE_NULL)
			PMPI_Type_dup(call->owned[i], &call->owned[i]);
	}
	call->nowned = n;
	if (got->types)
		got->types = call->owned;
	else if (n)
		got->type = call->owned[0];
}

/* What MPI has completed at once may share its handle with others, so it ends here. */
void elc_call_started(struct elc_call *call, MPI_Request request)
{
	int complete = 1;

	if (call->number >= 0)
		elc_succeeded(PMPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE),
			      "MPI_Request_get_status");
	if (complete) {
		if (call->number >= 0)
			elc_call_end(call);
		elc_request_plain(request);
		return;
	}
	keep_types(call);
	elc_request_call(request, call);
}

int elc_call_served(MPI_Request *request)
{
	const MPI_Status status = elc_empty_status();

	return elc_request_completed(&status, request);
}

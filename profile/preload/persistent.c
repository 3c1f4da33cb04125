/* Requests that are made once and started many times. */
#include "profile/preload/preload.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;
	MPI_Request request;
	int kind; /* enum kind; -1: it sends a message */
	/* rank in MPI_COMM_WORLD, -1: outside; of a collective the size of its communicator */
	int to;
	int64_t bytes;
};

enum { BUCKETS = 1 << 12 };

static struct entry *bucket[BUCKETS];
static size_t entries; /* read without the lock: a program that has none pays nothing */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Handles are numbers or pointers. */
static struct entry **bucket_of(MPI_Request request)
{
	uint64_t h = 0;

	memcpy(&h, &request, sizeof request < sizeof h ? sizeof request : sizeof h);
	return &bucket[h * UINT64_C(0x9e3779b97f4a7c15) >> (64 - 12)];
}

/* Where the entry of a request hangs; *NULL: it has none. */
static struct entry **find(MPI_Request request)
{
	struct entry **at = bucket_of(request);

	while (*at && (*at)->request != request)
		at = &(*at)->next;
	return at;
}

static void keep(MPI_Request request, int kind, int to, int64_t bytes)
{
	struct entry *e = malloc(sizeof *e), **at;

	if (!e) {
		recorder.lost = true;
		return;
	}
	pthread_mutex_lock(&lock);
	at = bucket_of(request);
	*e = (struct entry){ *at, request, kind, to, bytes };
	*at = e;
	entries++;
	pthread_mutex_unlock(&lock);
}

void persistent_message(MPI_Request request, int dest, int64_t count, MPI_Datatype type,
			MPI_Comm comm)
{
	const struct ranks *r;

	if (!recorder_counts() || dest == MPI_PROC_NULL)
		return;
	r = ranks_of(comm);
	if (r && dest >= 0 && dest < r->remote)
		keep(request, -1, r->world ? r->world[dest] : dest, bytes_of(count, type));
}

void persistent_collective(MPI_Request request, enum kind kind, MPI_Comm comm, int64_t bytes)
{
	const struct ranks *r = recorder_counts() ? ranks_of(comm) : NULL;

	if (r)
		keep(request, (int)kind, r->size, bytes);
}

void persistent_started(MPI_Request request)
{
	struct entry found = { .request = MPI_REQUEST_NULL };
	const struct entry *e;

	if (!recorder_counts() || entries == 0)
		return;
	pthread_mutex_lock(&lock);
	e = *find(request);
	if (e)
		found = *e;
	pthread_mutex_unlock(&lock);
	if (!e)
		return;
	if (found.kind < 0)
		recorder_message(found.to, found.bytes);
	else
		recorder_collective((enum kind)found.kind, found.to, found.bytes);
}

void persistent_forget(MPI_Request request)
{
	struct entry **at, *e;

	if (entries == 0)
		return;
	pthread_mutex_lock(&lock);
	at = find(request);
	e = *at;
	if (e) {
		*at = e->next;
		entries--;
	}
	pthread_mutex_unlock(&lock);
	free(e);
}

EXPORT int MPI_Start(MPI_Request *request)
{
	const int rc = PMPI_Start(request);

	if (rc == MPI_SUCCESS)
		persistent_started(*request);
	return rc;
}

EXPORT int MPI_Startall(int count, MPI_Request requests[])
{
	const int rc = PMPI_Startall(count, requests);

	for (int i = 0; rc == MPI_SUCCESS && i < count; i++)
		persistent_started(requests[i]);
	return rc;
}

EXPORT int MPI_Request_free(MPI_Request *request)
{
	persistent_forget(*request);
	return PMPI_Request_free(request);
}

/* Waiting for requests and testing them. While a line is in progress, waiting is testing, so that
 * the line goes on. */
#include "elc/mpi/state.h"

#include <stdlib.h>

/* What a call does not leave to itself: the handles that MPI knows, before the call and after it,
 * and statuses that exist. */
struct waiting {
	MPI_Request *handle, *now;
	MPI_Status *status, *own;
};

static struct waiting begin(int n, const MPI_Request request[], MPI_Status *status, bool ignored)
{
	const size_t count = n > 0 ? (size_t)n : 1;
	struct waiting w = { malloc(2 * count * sizeof(MPI_Request)), NULL, status, NULL };

	if (ignored)
		w.status = w.own = malloc(count * sizeof(MPI_Status));
	if (!w.handle || !w.status)
		elc_check(-1);
	w.now = w.handle + count;
	for (int i = 0; i < n; i++)
		w.handle[i] = w.now[i] = elc_request_inner(request[i]);
	return w;
}

static int end(struct waiting *w, int n, MPI_Request request[])
{
	for (int i = 0; i < n; i++)
		elc_request_outer(&request[i], w->now[i]);
	free(w->handle);
	free(w->own);
	return MPI_SUCCESS;
}

int elc_wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Request now, handle;
	MPI_Status own;
	int there = 0;

	if (elc.life == ELC_OFF)
		return PMPI_Wait(request, status);
	handle = now = elc_request_inner(*request);
	while (!there && elc_watching()) {
		elc_succeeded(PMPI_Test(&now, &there, &own), "MPI_Wait");
		if (!there)
			elc_progress();
	}
	if (!there)
		elc_succeeded(PMPI_Wait(&now, &own), "MPI_Wait");
	elc_request_outer(request, now);
	elc_request_done(handle, &own);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return MPI_SUCCESS;
}

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	return elc_wait(request, status);
}

EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_Request now, handle;
	MPI_Status own;

	if (elc.life == ELC_OFF)
		return PMPI_Test(request, flag, status);
	if (elc_watching())
		elc_progress();
	handle = now = elc_request_inner(*request);
	elc_succeeded(PMPI_Test(&now, flag, &own), "MPI_Test");
	if (*flag) {
		elc_request_outer(request, now);
		elc_request_done(handle, &own);
		if (status != MPI_STATUS_IGNORE)
			*status = own;
	}
	return MPI_SUCCESS;
}

static void all_done(const struct waiting *w, int n)
{
	for (int i = 0; i < n; i++)
		elc_request_done(w->handle[i], &w->status[i]);
}

int elc_waitall(int n, MPI_Request request[], MPI_Status *status)
{
	struct waiting w;
	int there = 0;

	if (elc.life == ELC_OFF)
		return PMPI_Waitall(n, request, status);
	w = begin(n, request, status, status == MPI_STATUSES_IGNORE);
	while (!there && elc_watching()) {
		elc_succeeded(PMPI_Testall(n, w.now, &there, w.status), "MPI_Waitall");
		if (!there)
			elc_progress();
	}
	if (!there)
		elc_succeeded(PMPI_Waitall(n, w.now, w.status), "MPI_Waitall");
	all_done(&w, n);
	return end(&w, n, request);
}

EXPORT int MPI_Waitall(int n, MPI_Request request[], MPI_Status status[])
{
	return elc_waitall(n, request, status);
}

EXPORT int MPI_Testall(int n, MPI_Request request[], int *flag, MPI_Status status[])
{
	struct waiting w;

	if (elc.life == ELC_OFF)
		return PMPI_Testall(n, request, flag, status);
	if (elc_watching())
		elc_progress();
	w = begin(n, request, status, status == MPI_STATUSES_IGNORE);
	elc_succeeded(PMPI_Testall(n, w.now, flag, w.status), "MPI_Testall");
	if (*flag)
		all_done(&w, n);
	return end(&w, n, request);
}

static void one_done(const struct waiting *w, int index)
{
	if (index != MPI_UNDEFINED)
		elc_request_done(w->handle[index], w->status);
}

EXPORT int MPI_Waitany(int n, MPI_Request request[], int *index, MPI_Status *status)
{
	struct waiting w;
	int there = 0;

	if (elc.life == ELC_OFF)
		return PMPI_Waitany(n, request, index, status);
	w = begin(n, request, status, status == MPI_STATUS_IGNORE);
	while (!there && elc_watching()) {
		elc_succeeded(PMPI_Testany(n, w.now, index, &there, w.status), "MPI_Waitany");
		if (!there)
			elc_progress();
	}
	if (!there)
		elc_succeeded(PMPI_Waitany(n, w.now, index, w.status), "MPI_Waitany");
	one_done(&w, *index);
	return end(&w, n, request);
}

EXPORT int MPI_Testany(int n, MPI_Request request[], int *index, int *flag, MPI_Status *status)
{
	struct waiting w;

	if (elc.life == ELC_OFF)
		return PMPI_Testany(n, request, index, flag, status);
	if (elc_watching())
		elc_progress();
	w = begin(n, request, status, status == MPI_STATUS_IGNORE);
	elc_succeeded(PMPI_Testany(n, w.now, index, flag, w.status), "MPI_Testany");
	if (*flag)
		one_done(&w, *index);
	return end(&w, n, request);
}

static void some_done(const struct waiting *w, int count, const int indices[])
{
	for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
		elc_request_done(w->handle[indices[i]], &w->status[i]);
}

/* With one active request or more, MPI_Testsome() gives 0 if none is complete, and MPI_UNDEFINED if
 * none is active. */
EXPORT int MPI_Waitsome(int n, MPI_Request request[], int *count, int indices[],
			MPI_Status status[])
{
	struct waiting w;

	if (elc.life == ELC_OFF)
		return PMPI_Waitsome(n, request, count, indices, status);
	w = begin(n, request, status, status == MPI_STATUSES_IGNORE);
	*count = 0;
	while (*count == 0 && elc_watching()) {
		elc_succeeded(PMPI_Testsome(n, w.now, count, indices, w.status), "MPI_Waitsome");
		if (*count == 0)
			elc_progress();
	}
	if (*count == 0)
		elc_succeeded(PMPI_Waitsome(n, w.now, count, indices, w.status), "MPI_Waitsome");
	some_done(&w, *count, indices);
	return end(&w, n, request);
}

EXPORT int MPI_Testsome(int n, MPI_Request request[], int *count, int indices[],
			MPI_Status status[])
{
	struct waiting w;

	if (elc.life == ELC_OFF)
		return PMPI_Testsome(n, request, count, indices, status);
	if (elc_watching())
		elc_progress();
	w = begin(n, request, status, status == MPI_STATUSES_IGNORE);
	elc_succeeded(PMPI_Testsome(n, w.now, count, indices, w.status), "MPI_Testsome");
	some_done(&w, *count, indices);
	return end(&w, n, request);
}

#include "ft/msg/link.h"

#include "ft/log/place.h"
#include "contract/msg.h"

#include <limits.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_AT_ONCE = 32 };

static MPI_Request *requests_new(struct requests *r)
{
	if (r->count == 0)
		r->through = 0;
	if (r->count == r->capacity) {
		int more = r->capacity ? r->capacity * 2 : 64;
		MPI_Request *grown = realloc(r->list, (size_t)more * sizeof(MPI_Request));

		if (!grown)
			return NULL;
		r->list = grown;
		r->capacity = more;
	}
	r->list[r->count] = MPI_REQUEST_NULL;
	return &r->list[r->count++];
}

void requests_drain(struct requests *r)
{
	for (int i = 0; i < r->count; i++)
		if (r->list[i] != MPI_REQUEST_NULL)
			MPI_Wait(&r->list[i], MPI_STATUS_IGNORE);
	r->count = 0;
}

void requests_free(struct requests *r)
{
	free(r->list);
	memset(r, 0, sizeof *r);
}

void link_init(struct link *l, int role, int np)
{
	memset(l, 0, sizeof *l);
	l->comm = MPI_COMM_NULL;
	l->role = role;
	l->np = np;
}

void link_free(struct link *l)
{
	requests_free(&l->sends);
	requests_free(&l->receives);
}

void link_connect(struct link *l, MPI_Comm comm, const int *rank)
{
	l->comm = comm;
	l->rank = rank;
	l->status = RB_OK;
}

void link_drain(struct link *l)
{
	requests_drain(&l->receives);
	requests_drain(&l->sends);
}

void link_abandon(struct link *l)
{
	MPIX_Comm_revoke(l->comm);
	link_drain(l);
}

/* ULFM reports several classes of errors for a death. */
int link_check(struct link *l, int rc)
{
	int length;

	if (rc == MPI_SUCCESS)
		return RB_OK;
	if (l->status < 0)
		return l->status; /* a terminal status stays */
	MPI_Error_string(rc, l->reason, &length);
	return l->status = RB_LOST;
}

int link_no_memory(struct link *l)
{
	snprintf(l->reason, sizeof l->reason, "out of memory for messages");
	return l->status = RB_ENOMEM;
}

int link_too_long(struct link *l, size_t bytes, int peer)
{
	snprintf(l->reason, sizeof l->reason,
		 "a message of %zu bytes to or from role %d is longer than MPI can count; with a "
		 "larger --np messages are shorter",
		 bytes, peer);
	return l->status = RB_ELENGTH;
}

int link_no_result(struct link *l, int64_t iter)
{
	snprintf(l->reason, sizeof l->reason,
		 "the result of a reduction of iteration %lld is not recorded; please report this",
		 (long long)iter);
	return l->status = RB_ECORRUPT;
}

int link_no_copy(struct link *l, int64_t iter, int peer)
{
	snprintf(l->reason, sizeof l->reason,
		 "there is no copy of a message of iteration %lld from role %d; please report this",
		 (long long)iter, peer);
	return l->status = RB_ECORRUPT;
}

int link_too_many(struct link *l)
{
	snprintf(l->reason, sizeof l->reason,
		 "a kernel with more than %d receives at once, or more than %d operations in an "
		 "iteration: use --recompute rollback",
		 MSG_POST_MAX, PLACE_MAX);
	return l->status = RB_ELENGTH;
}

int link_isend(struct link *l, struct requests *to, const void *data, int count, MPI_Datatype type,
	       int dst, int tag)
{
	MPI_Request *request = requests_new(to);

	if (!request)
		return link_no_memory(l);
	return link_check(l, MPI_Isend(data, count, type, l->rank[dst], tag, l->comm, request));
}

int link_irecv(struct link *l, void *buf, int count, MPI_Datatype type, int src, int tag,
	       MPI_Request *request)
{
	return link_check(l, MPI_Irecv(buf, count, type, l->rank[src], tag, l->comm, request));
}

int link_send(struct link *l, struct requests *to, const void *data, size_t bytes, int dst, int tag)
{
	if (bytes > INT_MAX)
		return link_too_long(l, bytes, dst);
	return link_isend(l, to, data, (int)bytes, MPI_BYTE, dst, tag);
}

int link_receive(struct link *l, struct requests *from, void *buf, size_t bytes, int src, int tag)
{
	MPI_Request *request;

	if (l->status != RB_OK)
		return l->status;
	if (bytes > INT_MAX)
		return link_too_long(l, bytes, src);
	request = requests_new(from);
	if (!request)
		return link_no_memory(l);
	return link_irecv(l, buf, (int)bytes, MPI_BYTE, src, tag, request);
}

/* Requests end roughly in the order in which they began, so the oldest are tested first: to test
 * all requests of a long replay each time would cost a hundred times as much. */
int link_test(struct link *l, struct requests *r, bool *done)
{
	int flag = 1;

	while (flag && r->through < r->count) {
		int left = r->count - r->through, some = left < TEST_AT_ONCE ? left : TEST_AT_ONCE;

		RB_TRY(link_check(
			l, MPI_Testall(some, r->list + r->through, &flag, MPI_STATUSES_IGNORE)));
		if (flag)
			r->through += some;
	}
	if (flag)
		r->count = 0;
	*done = flag;
	return RB_OK;
}

int link_wait_statuses(struct link *l, struct requests *r, MPI_Status *status)
{
	if (l->status != RB_OK || r->count == 0)
		return l->status;
	if (l->background)
		RB_TRY(l->background(l->ctx));
	RB_TRY(link_check(l, wait_for_all(&l->wait, r->count, r->list, status)));
	r->count = 0;
	return RB_OK;
}

int link_wait(struct link *l, struct requests *r)
{
	return link_wait_statuses(l, r, MPI_STATUSES_IGNORE);
}

/* Active requests: which of them are receives, and what has to be known of these when they
 * complete. */
#include "elc/mpi/collectives.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 10 };

struct entry {
	struct entry *next;
	MPI_Request handle;
	size_t plain; /* MPI may give one handle to several sends that are complete already */
	struct elc_copy *copy; /* of sends that may not be complete */
	bool receive, cancelled;
	/* the program has seen that this receive is complete, and MPI's status still has the
	 * stamp */
	bool stamped;
	struct elc_receive r;
	struct elc_call *call; /* a collective function whose result is needed; NULL: none */
	/* then nothing of the above: what it has started has a handle of its own */
	struct elc_persistent *persistent;
};

static struct entry *bucket[BUCKETS];
static size_t active, persistents;

/* Handles are numbers or pointers. */
static struct entry **find(MPI_Request handle)
{
	uint64_t h = 0;
	struct entry **at;

	memcpy(&h, &handle, sizeof handle < sizeof h ? sizeof handle : sizeof h);
	at = &bucket[h * UINT64_C(0x9e3779b97f4a7c15) >> (64 - 10)];
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

static struct entry *enter(MPI_Request handle)
{
	struct entry **at = find(handle);

	if (!*at) {
		*at = calloc(1, sizeof **at);
		if (!*at)
			elc_check(-1);
		(*at)->handle = handle;
	}
	return *at;
}

static void leave(struct entry **at)
{
	struct entry *e = *at;

	*at = e->next;
	free(e);
}

void elc_request_plain(MPI_Request request)
{
	if (request == MPI_REQUEST_NULL)
		return;
	enter(request)->plain++;
	active++;
}

void elc_request_copy(MPI_Request request, struct elc_copy *copy)
{
	struct entry *e = enter(request);

	copy->next = e->copy;
	e->copy = copy;
}

/* The first one, if there is one, goes out of the list. */
static struct elc_copy *first_copy(struct entry *e)
{
	struct elc_copy *copy = e->copy;

	e->copy = copy ? copy->next : NULL;
	return copy;
}

/* Sends that the program has freed. */
struct freed {
	struct freed *next;
	MPI_Request handle;
	struct elc_copy *copy;
};

static struct freed *freed;

bool elc_request_left(MPI_Request request)
{
	struct entry *e = *find(request);
	struct elc_copy *copy = e ? first_copy(e) : NULL;
	struct freed *f = copy ? malloc(sizeof *f) : NULL;

	if (copy && !f)
		elc_check(-1);
	if (!f)
		return false;
	*f = (struct freed){ freed, request, copy };
	freed = f;
	return true;
}

bool elc_request_over(MPI_Request *request, bool wait)
{
	int there = 1;

	if (wait)
		PMPI_Wait(request, MPI_STATUS_IGNORE);
	else
		PMPI_Test(request, &there, MPI_STATUS_IGNORE);
	return there;
}

void elc_requests_freed(bool wait)
{
	for (struct freed **at = &freed; *at;) {
		struct freed *f = *at;

		if (!elc_request_over(&f->handle, wait)) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		free(f->copy);
		free(f);
	}
}

void elc_request_receive(MPI_Request request, const struct elc_receive *r)
{
	struct entry *e;

	if (request == MPI_REQUEST_NULL)
		return;
	e = enter(request);
	e->receive = true;
	e->cancelled = false;
	e->r = *r;
	active++;
}

void elc_request_call(MPI_Request request, const struct elc_call *call)
{
	struct elc_call *kept = malloc(sizeof *kept);

	if (!kept)
		elc_check(-1);
	*kept = *call;
	enter(request)->call = kept;
	active++;
}

bool elc_request_calls(MPI_Request handle)
{
	const struct entry *e = handle == MPI_REQUEST_NULL ? NULL : *find(handle);

	return e && e->call;
}

static void end_call(struct entry *e)
{
	elc_call_end(e->call);
	free(e->call);
	e->call = NULL;
}

/* MPI has completed a receive, or it was cancelled. */
static void complete(struct entry *e, MPI_Status *status)
{
	const struct elc_receive r = e->r;
	int cancelled = 0;

	e->receive = false;
	if (e->cancelled)
		PMPI_Test_cancelled(status, &cancelled);
	if (cancelled)
		elc_receive_end(&r);
	else
		elc_received(&r, status);
}

void elc_request_done(MPI_Request handle, MPI_Status *status)
{
	struct entry **at = handle == MPI_REQUEST_NULL ? NULL : find(handle), *e = at ? *at : NULL;

	if (!e)
		return;
	active--;
	if (e->receive) {
		complete(e, status);
	} else if (e->call) {
		end_call(e);
	} else {
		elc_request_look(handle, status);
		e->stamped = false;
		e->plain--;
		free(first_copy(e));
	}
	if (!e->receive && e->plain == 0)
		leave(at);
}

bool elc_request_receives(MPI_Request handle)
{
	const struct entry *e = handle == MPI_REQUEST_NULL ? NULL : *find(handle);

	return e && e->receive;
}

void elc_request_seen(MPI_Request handle, MPI_Status *status)
{
	struct entry *e = *find(handle);
	int cancelled = 0;

	if (e->call) {
		end_call(e);
		e->plain++;
		return;
	}
	if (e->cancelled)
		PMPI_Test_cancelled(status, &cancelled);
	e->stamped = e->r.stamp && !cancelled;
	complete(e, status);
	e->plain++;
}

void elc_request_look(MPI_Request handle, MPI_Status *status)
{
	const struct entry *e = handle == MPI_REQUEST_NULL ? NULL : *find(handle);

	if (e && e->stamped && status != MPI_STATUS_IGNORE)
		elc_wire_strip(status);
}

void elc_request_cancelled(MPI_Request handle)
{
	(*find(handle))->cancelled = true;
}

/* ---- persistent requests ---- */

void elc_request_persistent(MPI_Request request, struct elc_persistent *p)
{
	struct entry *e = enter(request);

	if (e->persistent || e->receive || e->plain)
		elc_fatal("this MPI gives one handle to two requests, which event-logging "
			  "checkpoints do not cover for persistent ones");
	e->persistent = p;
	persistents++;
}

struct elc_persistent *elc_request_find(MPI_Request request)
{
	const struct entry *e =
		persistents == 0 || request == MPI_REQUEST_NULL ? NULL : *find(request);

	return e ? e->persistent : NULL;
}

void elc_request_forget(MPI_Request request)
{
	leave(find(request));
	persistents--;
}

bool elc_requests_receive(const struct elc_comm *c)
{
	for (int b = 0; active > 0 && b < BUCKETS; b++)
		for (const struct entry *e = bucket[b]; e; e = e->next)
			if (e->receive && e->r.comm == c)
				return true;
	return false;
}

bool elc_requests_use(MPI_Comm comm)
{
	for (int b = 0; persistents && b < BUCKETS; b++)
		for (const struct entry *e = bucket[b]; e; e = e->next)
			if (e->persistent && e->persistent->comm == comm)
				return true;
	return false;
}

/* ---- all ---- */

size_t elc_requests_active(void)
{
	return active;
}

size_t elc_requests_pending(struct elc_pending **pending)
{
	static struct elc_pending *list;
	static size_t room;
	size_t n = 0;

	if (room < active) {
		room = 2 * active;
		free(list);
		list = malloc(room * sizeof *list);
		if (!list)
			elc_check(-1);
	}
	for (int b = 0; active && b < BUCKETS; b++)
		for (const struct entry *e = bucket[b]; e; e = e->next)
			if (e->receive)
				list[n++] = e->r.want;
	*pending = list;
	return n;
}

/* A generalised request: MPI asks for its status when the program waits for it. */
static int query(void *extra, MPI_Status *status)
{
	const MPI_Status *s = extra;
	int bytes;

	PMPI_Get_count((MPI_Status *)extra, MPI_BYTE, &bytes);
	PMPI_Status_set_elements(status, MPI_BYTE, bytes);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = s->MPI_SOURCE;
	status->MPI_TAG = s->MPI_TAG;
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	free(extra);
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	(void)extra, (void)complete;
	return MPI_SUCCESS;
}

int elc_request_completed(const MPI_Status *status, MPI_Request *request)
{
	MPI_Status *kept = malloc(sizeof *kept);
	int rc;

	if (!kept)
		elc_check(-1);
	*kept = *status;
	rc = PMPI_Grequest_start(query, release, cancel, kept, request);
	if (rc == MPI_SUCCESS)
		rc = PMPI_Grequest_complete(*request);
	if (rc == MPI_SUCCESS)
		elc_request_plain(*request);
	return rc;
}

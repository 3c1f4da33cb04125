/* Messages of the protocol, on a communicator of their own. A request has the envelope log of its
 * sender towards its receiver. */
#include "elc/mpi/state.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum tag { REQUEST = 1, COMPLETE, COMMIT };

/* A message that MPI may not have sent yet. */
struct outgoing {
	struct outgoing *next;
	MPI_Request request;
	char bytes[];
};

struct complete {
	int64_t number;
	struct elc_sums_of_rank sums;
};

/* Markers travel on a communicator of their own, so MPI does not keep their order with the messages
 * of the program. They are put among these by their number. */
struct marker {
	int64_t number; /* 0: there is none */
	struct elc_set set;
};

static struct outgoing *outgoing;
static int64_t sent, received;
static struct marker *marker; /* per process */

static void forget_sent(bool wait)
{
	elc_requests_freed(wait);
	for (struct outgoing **at = &outgoing; *at;) {
		struct outgoing *o = *at;

		if (elc_request_over(&o->request, wait)) {
			*at = o->next;
			free(o);
		} else {
			at = &o->next;
		}
	}
}

static void tell(int to, enum tag tag, const void *first, size_t first_bytes, const void *second,
		 size_t second_bytes)
{
	struct outgoing *o = malloc(sizeof *o + first_bytes + second_bytes);

	if (!o)
		elc_check(-1);
	if (first_bytes + second_bytes > INT32_MAX)
		elc_fatal("the envelope log of a request has more than 2^31 - 1 bytes; checkpoint "
			  "more often, or use ELC_LOG=counted");
	memcpy(o->bytes, first, first_bytes);
	if (second_bytes)
		memcpy(o->bytes + first_bytes, second, second_bytes);
	elc_succeeded(PMPI_Isend(o->bytes, (int)(first_bytes + second_bytes), MPI_BYTE, to,
				 (int)tag, elc.control, &o->request),
		      "a message of the protocol");
	o->next = outgoing;
	outgoing = o;
	sent++;
}

void elc_tell_request(int to, int64_t number, const struct elc_set *set)
{
	tell(to, REQUEST, &number, sizeof number, set->entry, set->n * sizeof *set->entry);
}

void elc_tell_complete(int64_t number, const struct elc_sums_of_rank *sums)
{
	const struct complete c = { number, *sums };

	tell(0, COMPLETE, &c, sizeof c, NULL, 0);
}

void elc_tell_commit(int to, int64_t number)
{
	tell(to, COMMIT, &number, sizeof number, NULL, 0);
}

static void set_of_bytes(struct elc_set *set, const void *bytes, size_t n)
{
	elc_set_init(set, elc.process.form);
	set->n = set->room = n / sizeof *set->entry;
	set->entry = set->n ? malloc(n) : NULL;
	if (set->n && !set->entry)
		elc_check(-1);
	if (set->n)
		memcpy(set->entry, bytes, n);
}

static void requested(int from, int64_t number, struct elc_set *set)
{
	const double begin = clock_monotonic();

	elc_check(elc_process_on_request(&elc.process, from, number, set));
	elc.counts.identify += clock_monotonic() - begin;
	elc_moment("requested", number);
}

bool elc_marker_waits(int from, uint32_t comm)
{
	return marker && marker[from].number &&
	       elc_markers_to_come(&elc.process, from, comm, &marker[from].set) > 0;
}

void elc_marker_place(int from)
{
	struct marker m = marker ? marker[from] : (struct marker){ .number = 0 };

	if (!m.number || !elc_markers_due(&elc.process, from, &m.set))
		return;
	marker[from].number = 0;
	requested(from, m.number, &m.set);
}

static void keep_marker(int from, int64_t number, const struct elc_set *set)
{
	if (!marker)
		marker = calloc((size_t)elc.np, sizeof *marker);
	if (!marker)
		elc_check(-1);
	if (marker[from].number)
		elc_check(-2);
	marker[from] = (struct marker){ number, *set };
	elc_marker_place(from);
}

static void hear(int from, enum tag tag, const char *bytes, size_t n)
{
	int64_t number;

	memcpy(&number, bytes, sizeof number);
	if (tag == REQUEST) {
		struct elc_set set;

		set_of_bytes(&set, bytes + sizeof number, n - sizeof number);
		if (elc.process.protocol == &elc_markers)
			keep_marker(from, number, &set);
		else
			requested(from, number, &set);
	} else if (tag == COMPLETE) {
		struct complete c;

		memcpy(&c, bytes, sizeof c);
		elc_line_reported(from, c.number, &c.sums);
	} else {
		elc_line_committed(number);
	}
}

/* One message, if there is one. */
static bool hear_one(void)
{
	MPI_Message message;
	MPI_Status status;
	int there, n;
	char *bytes;

	PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, elc.control, &there, &message, &status);
	if (!there)
		return false;
	PMPI_Get_count(&status, MPI_BYTE, &n);
	bytes = malloc((size_t)n + 1);
	if (!bytes)
		elc_check(-1);
	PMPI_Mrecv(bytes, n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
	received++;
	hear(status.MPI_SOURCE, (enum tag)status.MPI_TAG, bytes, (size_t)n);
	free(bytes);
	return true;
}

void elc_hear(void)
{
	while (hear_one())
		;
}

void elc_progress(void)
{
	forget_sent(false);
	elc_hear();
	elc_line_advance();
}

int64_t elc_control_balance(void)
{
	int64_t own = sent - received, sum;

	PMPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, elc.control);
	return sum;
}

void elc_control_end(void)
{
	forget_sent(true);
	for (int r = 0; marker && r < elc.np; r++)
		if (marker[r].number)
			elc_set_free(&marker[r].set);
	free(marker);
	marker = NULL;
	elc_wire_end();
}

/* Entries of a set, as MPI counts them. */
static int entries_of(const struct elc_set *set)
{
	if (set->n > INT32_MAX / (4 * sizeof *set->entry))
		elc_fatal("an envelope log has too many entries to be exchanged (%zu)", set->n);
	return (int)(set->n * sizeof *set->entry);
}

void elc_exchange_sets(const struct elc_set *to, struct elc_set *from)
{
	const size_t np = (size_t)elc.np;
	int *n = calloc(4 * np + 1, sizeof *n), *got = n + np, *at = n + 2 * np,
	    *got_at = n + 3 * np;
	char *out, *in;
	int64_t all = 0, got_all = 0;

	if (!n)
		elc_check(-1);
	for (int r = 0; r < elc.np; r++)
		n[r] = entries_of(&to[r]);
	PMPI_Alltoall(n, 1, MPI_INT, got, 1, MPI_INT, elc.control);
	for (int r = 0; r < elc.np; r++) {
		at[r] = (int)all;
		got_at[r] = (int)got_all;
		all += n[r];
		got_all += got[r];
	}
	if (all > INT32_MAX || got_all > INT32_MAX)
		elc_fatal(
			"the envelope logs of all processes have too many entries to be exchanged");
	out = malloc((size_t)all + 1);
	in = malloc((size_t)got_all + 1);
	if (!out || !in)
		elc_check(-1);
	for (int r = 0; r < elc.np; r++)
		if (n[r])
			memcpy(out + at[r], to[r].entry, (size_t)n[r]);
	PMPI_Alltoallv(out, n, at, MPI_BYTE, in, got, got_at, MPI_BYTE, elc.control);
	for (int r = 0; r < elc.np; r++)
		set_of_bytes(&from[r], in + got_at[r], (size_t)got[r]);
	free(n);
	free(out);
	free(in);
}

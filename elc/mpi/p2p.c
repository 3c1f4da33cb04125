/* Sends and receives: logged, suppressed, or served from the messages that are held. */
#include "elc/mpi/state.h"

#include "elc/core/crc.h"

#include <limits.h>
#include <stdlib.h>

/* The bytes of a message, in the order of its datatype. */
static void *packed(const void *buf, int count, MPI_Datatype type, MPI_Comm comm, size_t *bytes)
{
	int room = 0, used = 0;
	void *data;

	if (PMPI_Pack_size(count, type, comm, &room) != MPI_SUCCESS)
		elc_fatal(
			"a message of %d elements cannot be packed (MPI_Pack_size); messages have "
			"at most 2^31 - 1 bytes here",
			count);
	data = malloc((size_t)room + 1);
	if (!data)
		elc_check(-1);
	if (PMPI_Pack(buf, count, type, data, room, &used, comm) != MPI_SUCCESS)
		elc_fatal("a message of %d elements cannot be packed (MPI_Pack)", count);
	*bytes = (size_t)used;
	return data;
}

struct elc_sending elc_sending(const void *buf, int count, MPI_Datatype type)
{
	struct elc_sending s = { elc_wire_plain(buf, count, type), NULL };
	const int64_t *stamp;

	if (!elc_stamped() || count < 0)
		return s;
	if (elc.process.protocol->copied) {
		s.copy = elc_copy_out(elc_process_stamp(&elc.process), buf, count, type, &s.w);
		if (!s.copy)
			elc_fatal("no memory for a copy of a message of %d elements, or MPI cannot "
				  "pack it; messages have at most 2^31 - 1 bytes here",
				  count);
		return s;
	}
	stamp = elc_wire_stamp(elc_process_stamp(&elc.process));
	if (!stamp)
		elc_check(-1);
	s.w = elc_wire_stamped(stamp, buf, count, type);
	return s;
}

void elc_sending_end(struct elc_sending *s, const MPI_Request *request)
{
	elc_wire_free(&s->w);
	if (s->copy && request && *request != MPI_REQUEST_NULL)
		elc_request_copy(*request, s->copy);
	else
		free(s->copy);
}

static void different(const char *function, const struct elc_comm *c, int dest, int tag)
{
	elc_fatal("%s: this program does not repeat its messages: before line %lld was restored, "
		  "rank %d had received another message with tag %d on communicator %u here (the "
		  "checksums differ); a program must send the same after a restart",
		  function, (long long)elc.process.line.committed, c->world[dest], tag, c->id);
}

bool elc_may_send(const char *function, const void *buf, int count, MPI_Datatype type, int dest,
		  int tag, MPI_Comm comm)
{
	const struct elc_comm *c;
	uint32_t crc = 0;
	size_t bytes = 0;
	elc_key key;
	int fate, peer;

	if (elc.life == ELC_OFF || dest == MPI_PROC_NULL)
		return true;
	c = elc_comm_of(comm, function);
	if (dest < 0 || dest >= c->size || tag < 0 || count < 0)
		return true; /* MPI will say so */
	key = elc_key_of(c->id, tag);
	peer = c->world[dest];
	if (elc_process_wants_sum(&elc.process, peer, key)) {
		void *data = packed(buf, count, type, comm, &bytes);

		crc = elc_crc(0, data, bytes);
		free(data);
	}
	fate = elc_process_send(&elc.process, peer, key, crc, bytes);
	elc_check(fate);
	if (fate == ELC_DIFFERENT)
		different(function, c, dest, tag);
	return fate == ELC_SEND;
}

int elc_send(const char *function, const void *buf, int count, MPI_Datatype type, int dest, int tag,
	     MPI_Comm comm)
{
	int rc = MPI_SUCCESS;

	if (elc_may_send(function, buf, count, type, dest, tag, comm)) {
		struct elc_sending s = elc_sending(buf, count, type);

		rc = PMPI_Send(s.w.buf, s.w.count, s.w.type, dest, tag, comm);
		elc_sending_end(&s, NULL);
	}
	if (elc_watching())
		elc_progress();
	return elc_succeeded(rc, function);
}

MPI_Status elc_empty_status(void)
{
	MPI_Status status = { .MPI_ERROR = MPI_SUCCESS };

	status.MPI_SOURCE = MPI_ANY_SOURCE;
	status.MPI_TAG = MPI_ANY_TAG;
	PMPI_Status_set_elements(&status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(&status, 0);
	return status;
}

int elc_isend(const char *function, const void *buf, int count, MPI_Datatype type, int dest,
	      int tag, MPI_Comm comm, MPI_Request *request)
{
	struct elc_sending s;
	int rc;

	if (!elc_may_send(function, buf, count, type, dest, tag, comm)) {
		count = 0;
		dest = MPI_PROC_NULL; /* such a request is complete at once */
	}
	s = elc_sending(buf, count, type);
	rc = PMPI_Isend(s.w.buf, s.w.count, s.w.type, dest, tag, comm, request);
	if (elc.life != ELC_OFF && rc == MPI_SUCCESS)
		elc_request_plain(*request);
	elc_sending_end(&s, rc == MPI_SUCCESS ? request : NULL);
	if (elc_watching())
		elc_progress();
	return elc_succeeded(rc, function);
}

static struct elc_pending wanted(const struct elc_comm *c, int source, int tag)
{
	return (struct elc_pending){ 0, source == MPI_ANY_SOURCE ? ELC_ANY : c->world[source],
				     c->id, tag == MPI_ANY_TAG ? ELC_ANY : tag };
}

/* May this receive get a message of another process? MPI answers what it cannot get. */
static bool receives(const struct elc_comm *c, int source, int tag)
{
	return (source == MPI_ANY_SOURCE || (source >= 0 && source < c->size)) &&
	       (tag == MPI_ANY_TAG || tag >= 0);
}

void elc_held_status(const struct elc_message *m, const struct elc_comm *c, MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	status->MPI_SOURCE = c->here[m->peer];
	status->MPI_TAG = elc_key_tag(m->key);
	PMPI_Status_set_elements(status, MPI_BYTE, (int)m->bytes);
	PMPI_Status_set_cancelled(status, 0);
}

/* Give the program the bytes of a message that the library has received. */
static int unpack(int peer, int tag, const void *data, size_t bytes, const struct elc_comm *c,
		  void *buf, int count, MPI_Datatype type)
{
	int size, position = 0, n = 0;

	PMPI_Type_size(type, &size);
	if (size > 0)
		n = (int)(bytes / (size_t)size);
	if (bytes > 0 && (size <= 0 || bytes % (size_t)size))
		elc_fatal(
			"a message of %zu bytes from rank %d with tag %d, which crossed a line "
			"(newest: %lld) or was copied, is received with a datatype of %d bytes: a "
			"part of an element is not covered",
			bytes, peer, tag, (long long)elc.process.line.committed, size);
	if (n > 0 && count > 0)
		PMPI_Unpack(data, (int)bytes, &position, buf, n > count ? count : n, type, c->comm);
	return n > count ? PMPI_Comm_call_errhandler(c->comm, MPI_ERR_TRUNCATE) : MPI_SUCCESS;
}

int elc_serve(const struct elc_message *m, const struct elc_comm *c, void *buf, int count,
	      MPI_Datatype type, MPI_Status *status)
{
	const int rc = unpack(m->peer, elc_key_tag(m->key), m->data, m->bytes, c, buf, count, type);

	elc_held_status(m, c, status);
	elc_check(elc_process_deliver(&elc.process, m));
	return rc;
}

int elc_serve_request(const struct elc_message *m, const struct elc_comm *c, void *buf, int count,
		      MPI_Datatype type, MPI_Request *request)
{
	MPI_Status status = elc_empty_status();

	elc_succeeded(elc_serve(m, c, buf, count, type, &status), "MPI_Irecv");
	return elc_request_completed(&status, request);
}

bool elc_own_type(MPI_Datatype *type)
{
	int integers, addresses, types, combiner;

	PMPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
	if (combiner == MPI_COMBINER_NAMED)
		return false;
	PMPI_Type_dup(*type, type);
	return true;
}

void elc_receive_end(const struct elc_receive *r)
{
	MPI_Datatype type = r->type;

	if (r->own_type)
		PMPI_Type_free(&type);
	if (r->copy)
		free(r->copy);
	else
		free(r->stamp);
}

void elc_received(const struct elc_receive *r, MPI_Status *status)
{
	const bool markers = elc.process.protocol == &elc_markers;
	int64_t stamp = 0;
	void *copy = NULL;
	size_t bytes = 0;
	int peer, n;
	elc_key key;

	if (status->MPI_SOURCE < 0)
		return; /* MPI_PROC_NULL */
	if (r->stamp) {
		stamp = *r->stamp;
		elc_wire_strip(status);
	}
	peer = r->comm->world[status->MPI_SOURCE];
	key = elc_key_of(r->comm->id, status->MPI_TAG);
	if (r->copy) {
		PMPI_Get_count(status, MPI_PACKED, &n);
		elc_succeeded(unpack(peer, status->MPI_TAG, r->copy->payload, (size_t)n, r->comm,
				     r->buf, r->count, r->type),
			      "a receive");
	}
	if (markers && elc.life == ELC_ON)
		elc_hear(); /* is a marker in front of it? */
	if (elc_process_wants_copy(&elc.process, peer, key, stamp)) {
		PMPI_Get_count(status, r->type, &n);
		if (n == MPI_UNDEFINED)
			elc_fatal("a message from rank %d with tag %d may cross line %lld and is a "
				  "part of an element of its datatype, or larger than 2^31 - 1 "
				  "elements: this is not covered",
				  peer, status->MPI_TAG,
				  (long long)elc_line_number(&elc.process.line));
		copy = packed(r->buf, n, r->type, r->comm->comm, &bytes);
	}
	elc_check(elc_process_receive(&elc.process, peer, key, stamp, r->want.order, copy, bytes));
	if (markers)
		elc_marker_place(peer);
	elc_receive_end(r);
}

/* What has to be known of a receive that MPI does. */
static struct elc_receive receive_of(struct elc_comm *c, void *buf, int count, MPI_Datatype type,
				     int source, int tag)
{
	struct elc_receive r = {
		.want = wanted(c, source, tag), .comm = c, .buf = buf, .count = count, .type = type
	};

	r.want.order = elc_process_order(&elc.process);
	return r;
}

/* MPI receives the stamp, too. */
static struct elc_wire wire_of(struct elc_receive *r)
{
	struct elc_wire w = elc_wire_plain(r->buf, r->count, r->type);

	if (!elc_stamped() || r->count < 0)
		return w;
	r->copy = elc.process.protocol->copied ? elc_copy_in(r->count, r->type, &w) : NULL;
	r->stamp = r->copy                        ? &r->copy->stamp
		   : elc.process.protocol->copied ? NULL
						  : malloc(sizeof *r->stamp);
	if (!r->stamp)
		elc_check(-1);
	return r->copy ? w : elc_wire_stamped(r->stamp, r->buf, r->count, r->type);
}

int elc_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	struct elc_comm *c = elc.life == ELC_OFF || source == MPI_PROC_NULL
				     ? NULL
				     : elc_comm_of(comm, "MPI_Recv");
	const struct elc_message *held;
	struct elc_receive r;
	struct elc_wire w;
	MPI_Request request;
	MPI_Status own;

	if (!c || !receives(c, source, tag))
		return PMPI_Recv(buf, count, type, source, tag, comm, status);
	r = receive_of(c, buf, count, type, source, tag);
	held = elc_process_find(&elc.process, r.want.peer, r.want.comm, r.want.tag);
	if (held)
		return elc_succeeded(elc_serve(held, c, buf, count, type, status), "MPI_Recv");
	w = wire_of(&r);
	if (elc_watching()) { /* so that the line goes on meanwhile */
		elc_succeeded(
			PMPI_Irecv((void *)w.buf, w.count, w.type, source, tag, comm, &request),
			"MPI_Recv");
		elc_wire_free(&w);
		elc_request_receive(request, &r);
		return elc_wait(&request, status);
	}
	elc_succeeded(PMPI_Recv((void *)w.buf, w.count, w.type, source, tag, comm, &own),
		      "MPI_Recv");
	elc_wire_free(&w);
	elc_received(&r, &own);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return MPI_SUCCESS;
}

/* The program may free a datatype of its own before the receive is complete. */
static void keep_type(struct elc_receive *r)
{
	r->own_type = elc_own_type(&r->type);
}

int elc_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	struct elc_comm *c = elc.life == ELC_OFF || source == MPI_PROC_NULL
				     ? NULL
				     : elc_comm_of(comm, "MPI_Irecv");
	const struct elc_message *held;
	struct elc_receive r;
	struct elc_wire w;
	int rc;

	if (!c || !receives(c, source, tag)) {
		rc = PMPI_Irecv(buf, count, type, source, tag, comm, request);
		if (elc.life != ELC_OFF && rc == MPI_SUCCESS)
			elc_request_plain(*request);
		return rc;
	}
	r = receive_of(c, buf, count, type, source, tag);
	held = elc_process_find(&elc.process, r.want.peer, r.want.comm, r.want.tag);
	if (held)
		return elc_serve_request(held, c, buf, count, type, request);
	w = wire_of(&r);
	rc = elc_succeeded(PMPI_Irecv((void *)w.buf, w.count, w.type, source, tag, comm, request),
			   "MPI_Irecv");
	elc_wire_free(&w);
	keep_type(&r);
	elc_request_receive(*request, &r);
	return rc;
}

/* Whatever its datatype is: its stamp, if it has one, and its bytes. */
const struct elc_message *elc_take(const struct elc_comm *c, MPI_Message *message,
				   MPI_Status *status)
{
	const int peer = c->world[status->MPI_SOURCE];
	int64_t stamp = 0;
	struct elc_wire w;
	int bytes;
	void *data;

	if (elc_stamped())
		elc_wire_strip(status);
	PMPI_Get_count(status, MPI_PACKED, &bytes);
	if (bytes == MPI_UNDEFINED)
		elc_fatal("a message from rank %d with tag %d crosses line %lld, or was found by a "
			  "matched probe, and has more than 2^31 - 1 bytes: this is not covered",
			  peer, status->MPI_TAG, (long long)elc_line_number(&elc.process.line));
	data = malloc((size_t)bytes + 1);
	if (!data)
		elc_check(-1);
	w = elc_stamped() ? elc_wire_stamped(&stamp, data, bytes, MPI_PACKED)
			  : elc_wire_plain(data, bytes, MPI_PACKED);
	PMPI_Mrecv((void *)w.buf, w.count, w.type, message, MPI_STATUS_IGNORE);
	elc_wire_free(&w);
	elc_check(elc_process_take(&elc.process, peer, elc_key_of(c->id, status->MPI_TAG), stamp,
				   data, (size_t)bytes));
	return elc.process.held.m[elc.process.held.n - 1]; /* it is the newest one */
}

/* Take messages of this process on this communicator while some are missing and there. */
static void take_from(int peer, const struct elc_comm *c)
{
	while (elc_process_missing(&elc.process, peer, c->id) || elc_marker_waits(peer, c->id)) {
		MPI_Message message;
		MPI_Status status;
		int there;

		PMPI_Improbe(c->here[peer], MPI_ANY_TAG, c->comm, &there, &message, &status);
		if (!there)
			return;
		elc_take(c, &message, &status);
		elc_marker_place(peer);
	}
}

void elc_take_messages(void)
{
	for (const struct elc_comm *c = elc_comms_all(); c; c = c->next)
		for (int r = 0; r < c->size; r++)
			take_from(c->world[r], c);
}

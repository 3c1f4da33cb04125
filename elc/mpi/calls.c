/* Point-to-point functions of MPI, and probes. */
#include "elc/mpi/state.h"

#include "elc/wire/buffer.h"

#include <stdlib.h>

#define MESSAGE const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm

EXPORT int MPI_Send(MESSAGE)
{
	return elc_send("MPI_Send", buf, count, type, dest, tag, comm);
}

EXPORT int MPI_Isend(MESSAGE, MPI_Request *request)
{
	return elc_isend("MPI_Isend", buf, count, type, dest, tag, comm, request);
}

/* The other modes differ only in the function that sends (As). A ready send is an ordinary one
 * here, which MPI allows: after a restart, the news that the receive is posted may be served before
 * it is. */
#define SEND(Name, As)                                                                 \
	EXPORT int MPI_##Name(MESSAGE)                                                 \
	{                                                                              \
		int rc = MPI_SUCCESS;                                                  \
                                                                                       \
		if (elc_may_send("MPI_" #Name, buf, count, type, dest, tag, comm)) {   \
			struct elc_sending s = elc_sending(buf, count, type);          \
                                                                                       \
			rc = PMPI_##As(s.w.buf, s.w.count, s.w.type, dest, tag, comm); \
			elc_sending_end(&s, NULL);                                     \
		}                                                                      \
		if (elc_watching())                                                    \
			elc_progress();                                                \
		return elc_succeeded(rc, "MPI_" #Name);                                \
	}

/* A suppressed one becomes a request that is complete at once. */
#define ISEND(Name, As)                                                                        \
	EXPORT int MPI_##Name(MESSAGE, MPI_Request *request)                                   \
	{                                                                                      \
		struct elc_sending s;                                                          \
		int rc;                                                                        \
                                                                                               \
		if (!elc_may_send("MPI_" #Name, buf, count, type, dest, tag, comm))            \
			return elc_isend("MPI_" #Name, buf, 0, type, MPI_PROC_NULL, tag, comm, \
					 request);                                             \
		s = elc_sending(buf, count, type);                                             \
		rc = elc_succeeded(                                                            \
			PMPI_##As(s.w.buf, s.w.count, s.w.type, dest, tag, comm, request),     \
			"MPI_" #Name);                                                         \
		if (elc.life != ELC_OFF && rc == MPI_SUCCESS)                                  \
			elc_request_plain(*request);                                           \
		elc_sending_end(&s, rc == MPI_SUCCESS ? request : NULL);                       \
		return rc;                                                                     \
	}

SEND(Bsend, Bsend)
SEND(Ssend, Ssend)
SEND(Rsend, Send)
ISEND(Ibsend, Ibsend)
ISEND(Issend, Issend)
ISEND(Irsend, Isend)

/* comm: MPI_COMM_NULL: for all communicators. */
static int attach(MPI_Comm comm, void *buffer, int bytes)
{
#if ELC_MPI_BUFFERS
	if (comm != MPI_COMM_NULL)
		return PMPI_Comm_attach_buffer(comm, buffer, bytes);
#endif
	(void)comm;
	return PMPI_Buffer_attach(buffer, bytes);
}

static int attach_larger(const char *function, MPI_Comm comm, void *buffer, int bytes)
{
	void *mine;
	int larger;

#ifdef MPI_BUFFER_AUTOMATIC
	if (buffer == MPI_BUFFER_AUTOMATIC) /* MPI finds the room */
		return attach(comm, buffer, bytes);
#endif
	if (!elc_stamped() || bytes < 0)
		return attach(comm, buffer, bytes);
	mine = elc_buffer_larger(buffer, bytes, &larger);
	if (!mine)
		elc_check(-1);
	return elc_succeeded(attach(comm, mine, larger), function);
}

static int detached(int rc, void *buffer, int *bytes)
{
	if (rc == MPI_SUCCESS)
		elc_buffer_back(buffer, bytes);
	return rc;
}

EXPORT int MPI_Buffer_attach(void *buffer, int bytes)
{
	return attach_larger("MPI_Buffer_attach", MPI_COMM_NULL, buffer, bytes);
}

EXPORT int MPI_Buffer_detach(void *buffer, int *bytes)
{
	return detached(PMPI_Buffer_detach(buffer, bytes), buffer, bytes);
}

#if ELC_MPI_BUFFERS
EXPORT int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int bytes)
{
	return attach_larger("MPI_Comm_attach_buffer", comm, buffer, bytes);
}

EXPORT int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer, int *bytes)
{
	return detached(PMPI_Comm_detach_buffer(comm, buffer, bytes), buffer, bytes);
}

/* The end of a flush is nothing that a line has; like all active requests, it postpones one. */
static int flushing(int rc, const MPI_Request *request)
{
	if (elc.life != ELC_OFF && rc == MPI_SUCCESS)
		elc_request_plain(*request);
	return rc;
}

EXPORT int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
	return flushing(PMPI_Comm_iflush_buffer(comm, request), request);
}

EXPORT int MPI_Buffer_iflush(MPI_Request *request)
{
	return flushing(PMPI_Buffer_iflush(request), request);
}
#endif

EXPORT int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
		    MPI_Status *status)
{
	return elc_recv(buf, count, type, source, tag, comm, status);
}

EXPORT int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
		     MPI_Request *request)
{
	if (elc_watching())
		elc_progress();
	return elc_irecv(buf, count, type, source, tag, comm, request);
}

EXPORT int MPI_Sendrecv(const void *sent, int send_count, MPI_Datatype send_type, int dest,
			int send_tag, void *received, int count, MPI_Datatype type, int source,
			int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Request request, send;

	if (elc.life == ELC_OFF)
		return PMPI_Sendrecv(sent, send_count, send_type, dest, send_tag, received, count,
				     type, source, tag, comm, status);
	elc_irecv(received, count, type, source, tag, comm, &request);
	elc_isend("MPI_Sendrecv", sent, send_count, send_type, dest, send_tag, comm, &send);
	elc_wait(&request, status);
	return elc_wait(&send, MPI_STATUS_IGNORE);
}

/* What is sent is packed first; MPI matches it with any datatype. */
EXPORT int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int send_tag,
				int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int room, used = 0, rc;
	void *sent;

	if (elc.life == ELC_OFF)
		return PMPI_Sendrecv_replace(buf, count, type, dest, send_tag, source, tag, comm,
					     status);
	elc_succeeded(PMPI_Pack_size(count, type, comm, &room), "MPI_Sendrecv_replace");
	sent = malloc((size_t)room + 1);
	if (!sent)
		elc_check(-1);
	elc_succeeded(PMPI_Pack(buf, count, type, sent, room, &used, comm), "MPI_Sendrecv_replace");
	rc = MPI_Sendrecv(sent, used, MPI_PACKED, dest, send_tag, buf, count, type, source, tag,
			  comm, status);
	free(sent);
	return rc;
}

/* The message held that a probe finds; NULL: none. */
static const struct elc_message *found(int source, int tag, const struct elc_comm *c)
{
	if (source != MPI_ANY_SOURCE && (source < 0 || source >= c->size))
		return NULL;
	return elc_process_find(&elc.process, source == MPI_ANY_SOURCE ? ELC_ANY : c->world[source],
				c->id, tag == MPI_ANY_TAG ? ELC_ANY : tag);
}

static bool held(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	const struct elc_comm *c = elc_comm_of(comm, "MPI_Probe");
	const struct elc_message *m = found(source, tag, c);

	if (m)
		elc_held_status(m, c, status);
	return m;
}

/* The program sees the length without the stamp. */
static int probed(MPI_Status *status)
{
	if (elc_stamped() && status != MPI_STATUS_IGNORE)
		elc_wire_strip(status);
	return MPI_SUCCESS;
}

EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	int rc;

	if (elc.life == ELC_OFF || source == MPI_PROC_NULL)
		return PMPI_Iprobe(source, tag, comm, flag, status);
	if (elc_watching())
		elc_progress();
	*flag = held(source, tag, comm, status);
	if (*flag)
		return MPI_SUCCESS;
	rc = PMPI_Iprobe(source, tag, comm, flag, status);
	return rc == MPI_SUCCESS && *flag ? probed(status) : rc;
}

EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int there = 0, rc;

	if (elc.life == ELC_OFF || source == MPI_PROC_NULL)
		return PMPI_Probe(source, tag, comm, status);
	while (elc_watching()) {
		rc = MPI_Iprobe(source, tag, comm, &there, status);
		if (there || rc != MPI_SUCCESS)
			return rc;
	}
	if (held(source, tag, comm, status))
		return MPI_SUCCESS;
	rc = PMPI_Probe(source, tag, comm, status);
	return rc == MPI_SUCCESS ? probed(status) : rc;
}

/* ---- matched probes: the library receives the message and holds it, and the program gets another
 * handle in its place ---- */

struct match {
	struct match *next;
	MPI_Message handle; /* MPI's own, of an empty message of this process to itself */
	MPI_Request sent;
	const struct elc_message *message;
	const struct elc_comm *comm;
};

static struct match *matches;
static MPI_Comm alone = MPI_COMM_NULL; /* for the empty messages */

static void add_match(const struct elc_message *m, const struct elc_comm *c, MPI_Message *handle)
{
	struct match *fresh = malloc(sizeof *fresh);

	if (!fresh)
		elc_check(-1);
	if (alone == MPI_COMM_NULL)
		PMPI_Comm_dup(MPI_COMM_SELF, &alone);
	*fresh = (struct match){ .next = matches, .message = m, .comm = c };
	PMPI_Isend(NULL, 0, MPI_BYTE, 0, 0, alone, &fresh->sent);
	PMPI_Mprobe(0, 0, alone, &fresh->handle, MPI_STATUS_IGNORE);
	*handle = fresh->handle;
	elc_process_match(&elc.process, m);
	matches = fresh;
}

/* The message of this handle, which ends with that; .message is NULL: it is another handle. */
static struct match take_match(MPI_Message *handle)
{
	struct match found = { .message = NULL };
	struct match **at = &matches;

	while (*at && (*at)->handle != *handle)
		at = &(*at)->next;
	if (*at) {
		struct match *m = *at;

		found = *m;
		*at = m->next;
		free(m);
		PMPI_Mrecv(NULL, 0, MPI_BYTE, handle, MPI_STATUS_IGNORE);
		PMPI_Wait(&found.sent, MPI_STATUS_IGNORE);
	}
	return found;
}

bool elc_matches_use(const struct elc_comm *c)
{
	const struct match *m = matches;

	while (m && m->comm != c)
		m = m->next;
	return m;
}

void elc_matches_end(void)
{
	if (alone != MPI_COMM_NULL)
		PMPI_Comm_free(&alone);
}

/* A message that was found: held before, or only now. */
static void matched(const struct elc_message *m, const struct elc_comm *c, MPI_Message *message,
		    MPI_Status *status)
{
	add_match(m, c, message);
	elc_held_status(m, c, status);
}

static void matched_now(const struct elc_comm *c, MPI_Message *message, MPI_Status *status,
			MPI_Status *own)
{
	const struct elc_message *m;

	if (elc.process.protocol == &elc_markers && elc.life == ELC_ON)
		elc_hear(); /* is a marker in front of it? */
	m = elc_take(c, message, own);
	elc_marker_place(m->peer);
	matched(m, c, message, status);
}

EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		       MPI_Status *status)
{
	const struct elc_message *m;
	const struct elc_comm *c;
	MPI_Status own;

	if (elc.life == ELC_OFF || source == MPI_PROC_NULL)
		return PMPI_Improbe(source, tag, comm, flag, message, status);
	if (elc_watching())
		elc_progress();
	c = elc_comm_of(comm, "MPI_Improbe");
	m = found(source, tag, c);
	*flag = m != NULL;
	if (m) {
		matched(m, c, message, status);
		return MPI_SUCCESS;
	}
	elc_succeeded(PMPI_Improbe(source, tag, comm, flag, message, &own), "MPI_Improbe");
	if (*flag)
		matched_now(c, message, status, &own);
	return MPI_SUCCESS;
}

EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	const struct elc_message *m;
	const struct elc_comm *c;
	int there = 0;
	MPI_Status own;

	if (elc.life == ELC_OFF || source == MPI_PROC_NULL)
		return PMPI_Mprobe(source, tag, comm, message, status);
	while (!there && elc_watching())
		MPI_Improbe(source, tag, comm, &there, message, status);
	if (there)
		return MPI_SUCCESS;
	c = elc_comm_of(comm, "MPI_Mprobe");
	m = found(source, tag, c);
	if (m) {
		matched(m, c, message, status);
		return MPI_SUCCESS;
	}
	elc_succeeded(PMPI_Mprobe(source, tag, comm, message, &own), "MPI_Mprobe");
	matched_now(c, message, status, &own);
	return MPI_SUCCESS;
}

EXPORT int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
		     MPI_Status *status)
{
	struct match m = { .message = NULL };

	if (elc_watching())
		elc_progress();
	if (elc.life != ELC_OFF)
		m = take_match(message);
	if (!m.message)
		return PMPI_Mrecv(buf, count, type, message, status);
	return elc_succeeded(elc_serve(m.message, m.comm, buf, count, type, status), "MPI_Mrecv");
}

EXPORT int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
		      MPI_Request *request)
{
	struct match m = { .message = NULL };
	int rc;

	if (elc_watching())
		elc_progress();
	if (elc.life != ELC_OFF)
		m = take_match(message);
	if (m.message)
		return elc_serve_request(m.message, m.comm, buf, count, type, request);
	rc = PMPI_Imrecv(buf, count, type, message, request);
	if (elc.life != ELC_OFF && rc == MPI_SUCCESS)
		elc_request_plain(*request);
	return rc;
}

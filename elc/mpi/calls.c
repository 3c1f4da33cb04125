/* Point-to-point functions of MPI, and probes. */
#include "elc/mpi/state.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGE const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm

EXPORT int MPI_Send(MESSAGE)
{
	return elc_send("MPI_Send", buf, count, type, dest, tag, comm);
}

EXPORT int MPI_Isend(MESSAGE, MPI_Request *request)
{
	return elc_isend("MPI_Isend", buf, count, type, dest, tag, comm, request);
}

/* The other modes differ only in the function that sends (As). A ready send is an ordinary one here, which MPI allows: after a restart, the news
 * that the receive is posted may be served before it is. */
#define SEND(Name, As)                                                                               \
	EXPORT int MPI_##Name(MESSAGE)                                                               \
	{                                                                                            \
		int rc = MPI_SUCCESS;                                                                \
                                                                                                     \
		if (elc_may_send("MPI_" #Name, buf, count, type, dest, tag, comm)) {                 \
			struct elc_wire w = elc_wire_of(buf, count, type);                           \
                                                                                                     \
			rc = PMPI_##As(w.buf, w.count, w.type, dest, tag, comm);                     \
			elc_wire_free(&w);                                                           \
		}                                                                                    \
		if (elc_watching())                                                                  \
			elc_progress();                                                              \
		return elc_succeeded(rc, "MPI_" #Name);                                              \
	}

/* A suppressed one becomes a request that is complete at once. */
#define ISEND(Name, As)                                                                              \
	EXPORT int MPI_##Name(MESSAGE, MPI_Request *request)                                         \
	{                                                                                            \
		struct elc_wire w;                                                                   \
		int rc;                                                                              \
                                                                                                     \
		if (!elc_may_send("MPI_" #Name, buf, count, type, dest, tag, comm))                  \
			return elc_isend("MPI_" #Name, buf, 0, type, MPI_PROC_NULL, tag, comm, request); \
		w = elc_wire_of(buf, count, type);                                                   \
		rc = elc_succeeded(PMPI_##As(w.buf, w.count, w.type, dest, tag, comm, request), "MPI_" #Name); \
		elc_wire_free(&w);                                                                   \
		if (elc.life != ELC_OFF && rc == MPI_SUCCESS)                                        \
			elc_request_plain(*request);                                                 \
		return rc;                                                                           \
	}

SEND(Bsend, Bsend)
SEND(Ssend, Ssend)
SEND(Rsend, Send)
ISEND(Ibsend, Ibsend)
ISEND(Issend, Issend)
ISEND(Irsend, Isend)

/* Stamps need room in the buffer for MPI_Bsend, too: MPI gets a larger one, and the program gets its own back. */
static struct {
	void *buffer, *program;
	int bytes;
} attached;

EXPORT int MPI_Buffer_attach(void *buffer, int bytes)
{
	if (!elc_stamped() || bytes < 0)
		return PMPI_Buffer_attach(buffer, bytes);
	free(attached.buffer);
	attached.program = buffer;
	attached.bytes = bytes;
	attached.buffer = malloc((size_t)elc_wire_buffer(bytes));
	if (!attached.buffer)
		elc_check(-1);
	return elc_succeeded(PMPI_Buffer_attach(attached.buffer, elc_wire_buffer(bytes)), "MPI_Buffer_attach");
}

EXPORT int MPI_Buffer_detach(void *buffer, int *bytes)
{
	const int rc = PMPI_Buffer_detach(buffer, bytes);

	if (!attached.buffer || rc != MPI_SUCCESS)
		return rc;
	free(attached.buffer);
	attached.buffer = NULL;
	memcpy(buffer, &attached.program, sizeof attached.program);
	*bytes = attached.bytes;
	return rc;
}

EXPORT int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	return elc_recv(buf, count, type, source, tag, comm, status);
}

EXPORT int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	if (elc_watching())
		elc_progress();
	return elc_irecv(buf, count, type, source, tag, comm, request);
}

EXPORT int MPI_Sendrecv(const void *sent, int send_count, MPI_Datatype send_type, int dest, int send_tag, void *received, int count,
			MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Request request, send;

	if (elc.life == ELC_OFF)
		return PMPI_Sendrecv(sent, send_count, send_type, dest, send_tag, received, count, type, source, tag, comm, status);
	elc_irecv(received, count, type, source, tag, comm, &request);
	elc_isend("MPI_Sendrecv", sent, send_count, send_type, dest, send_tag, comm, &send);
	elc_wait(&request, status);
	return elc_wait(&send, MPI_STATUS_IGNORE);
}

/* What is sent is packed first; MPI matches it with any datatype. */
EXPORT int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int send_tag, int source, int tag, MPI_Comm comm,
				MPI_Status *status)
{
	int room, used = 0, rc;
	void *sent;

	if (elc.life == ELC_OFF)
		return PMPI_Sendrecv_replace(buf, count, type, dest, send_tag, source, tag, comm, status);
	elc_succeeded(PMPI_Pack_size(count, type, comm, &room), "MPI_Sendrecv_replace");
	sent = malloc((size_t)room + 1);
	if (!sent)
		elc_check(-1);
	elc_succeeded(PMPI_Pack(buf, count, type, sent, room, &used, comm), "MPI_Sendrecv_replace");
	rc = MPI_Sendrecv(sent, used, MPI_PACKED, dest, send_tag, buf, count, type, source, tag, comm, status);
	free(sent);
	return rc;
}

/* Is a message held that this probe finds? */
static bool held(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	const struct elc_comm *c = elc_comm_of(comm, "MPI_Probe");
	const struct elc_message *m = NULL;

	if (source == MPI_ANY_SOURCE || (source >= 0 && source < c->size))
		m = elc_process_find(&elc.process, source == MPI_ANY_SOURCE ? ELC_ANY : c->world[source], c->id,
				     tag == MPI_ANY_TAG ? ELC_ANY : tag);
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

/* Persistent requests, and what else is done with requests than to wait for them.
 *
 * The handle of a persistent request is one that MPI has made, with these arguments, but MPI never
 * starts it: each start is a nonblocking send or receive like any other, so it is logged,
 * suppressed or served like these. A restarted program makes its persistent requests again, as it
 * makes its communicators. */
#include "elc/mpi/state.h"

#include <stdlib.h>

static int made(MPI_Request *request, struct elc_persistent p)
{
	struct elc_persistent *kept = malloc(sizeof *kept);

	if (!kept)
		elc_check(-1);
	*kept = p;
	kept->own_type = elc_own_type(&kept->type);
	kept->started = MPI_REQUEST_NULL;
	elc_request_persistent(*request, kept);
	return MPI_SUCCESS;
}

/* Name is the function that makes the request, Start the one that each start calls. */
#define SEND_INIT(Name, Start)                                                                   \
	EXPORT int MPI_##Name(const void *buf, int count, MPI_Datatype type, int dest, int tag,  \
			      MPI_Comm comm, MPI_Request *request)                               \
	{                                                                                        \
		const int rc = elc_succeeded(                                                    \
			PMPI_##Name(buf, count, type, dest, tag, comm, request), "MPI_" #Name);  \
                                                                                                 \
		if (elc.life == ELC_OFF)                                                         \
			return rc;                                                               \
		elc_comm_of(comm, "MPI_" #Name);                                                 \
		return made(request,                                                             \
			    (struct elc_persistent){ Start, (void *)buf, count, dest, tag, type, \
						     false, comm, MPI_REQUEST_NULL });           \
	}

SEND_INIT(Send_init, MPI_Isend)
SEND_INIT(Bsend_init, MPI_Ibsend)
SEND_INIT(Ssend_init, MPI_Issend)
SEND_INIT(Rsend_init, MPI_Irsend)

EXPORT int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag,
			 MPI_Comm comm, MPI_Request *request)
{
	const int rc = elc_succeeded(PMPI_Recv_init(buf, count, type, source, tag, comm, request),
				     "MPI_Recv_init");

	if (elc.life == ELC_OFF)
		return rc;
	elc_comm_of(comm, "MPI_Recv_init");
	return made(request, (struct elc_persistent){ NULL, buf, count, source, tag, type, false,
						      comm, MPI_REQUEST_NULL });
}

static int start(MPI_Request request)
{
	struct elc_persistent *p = elc_request_find(request);

	if (!p)
		elc_fatal("MPI_Start: this is no persistent request that event-logging "
			  "checkpoints cover");
	if (p->started != MPI_REQUEST_NULL)
		elc_fatal("MPI_Start: this request is active");
	if (p->send)
		return p->send(p->buf, p->count, p->type, p->peer, p->tag, p->comm, &p->started);
	return MPI_Irecv(p->buf, p->count, p->type, p->peer, p->tag, p->comm, &p->started);
}

EXPORT int MPI_Start(MPI_Request *request)
{
	return elc.life == ELC_OFF ? PMPI_Start(request) : start(*request);
}

EXPORT int MPI_Startall(int n, MPI_Request request[])
{
	int rc = MPI_SUCCESS;

	if (elc.life == ELC_OFF)
		return PMPI_Startall(n, request);
	for (int i = 0; rc == MPI_SUCCESS && i < n; i++)
		rc = start(request[i]);
	return rc;
}

/* The end of a send need not be seen: it is logged, and whoever receives it keeps its payload. That
 * of a receive must be. */
static int let_go(MPI_Request *request)
{
	MPI_Status status;
	int complete = 0;
	bool left;

	if (elc_request_calls(*request))
		elc_fatal("MPI_Request_free of a nonblocking collective function, which MPI does "
			  "not allow");
	if (elc_request_receives(*request))
		elc_succeeded(PMPI_Request_get_status(*request, &complete, &status),
			      "MPI_Request_free");
	if (complete)
		elc_request_seen(*request, &status);
	if (elc_request_receives(*request))
		elc_fatal("MPI_Request_free of a receive that is not complete is not covered by "
			  "event-logging checkpoints: its end would not be seen");
	left = elc_request_left(*request);
	elc_request_done(*request, MPI_STATUS_IGNORE);
	if (!left)
		return elc_succeeded(PMPI_Request_free(request), "MPI_Request_free");
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

EXPORT int MPI_Request_free(MPI_Request *request)
{
	struct elc_persistent *p = elc.life == ELC_OFF ? NULL : elc_request_find(*request);

	if (elc.life == ELC_OFF)
		return PMPI_Request_free(request);
	if (!p)
		return let_go(request);
	if (p->started != MPI_REQUEST_NULL)
		let_go(&p->started);
	if (p->own_type)
		PMPI_Type_free(&p->type);
	elc_request_forget(*request);
	free(p);
	return elc_succeeded(PMPI_Request_free(request), "MPI_Request_free");
}

EXPORT int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	const MPI_Request inner = elc.life == ELC_OFF ? request : elc_request_inner(request);
	MPI_Status own;

	if (elc.life == ELC_OFF)
		return PMPI_Request_get_status(request, flag, status);
	if (elc_watching())
		elc_progress();
	elc_succeeded(PMPI_Request_get_status(inner, flag, &own), "MPI_Request_get_status");
	if (!*flag)
		return MPI_SUCCESS;
	if (elc_request_receives(inner) || elc_request_calls(inner))
		elc_request_seen(inner, &own);
	else
		elc_request_look(inner, &own);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return MPI_SUCCESS;
}

/* A receive is not logged if its status says that it was cancelled. What is complete cannot be
 * cancelled. */
EXPORT int MPI_Cancel(MPI_Request *request)
{
	MPI_Request inner = elc.life == ELC_OFF ? *request : elc_request_inner(*request);
	int complete;

	if (elc.life == ELC_OFF)
		return PMPI_Cancel(request);
	if (!elc_request_receives(inner)) {
		elc_succeeded(PMPI_Request_get_status(inner, &complete, MPI_STATUS_IGNORE),
			      "MPI_Cancel");
		if (!complete)
			elc_fatal(
				"MPI_Cancel of a send, or of a collective function, is not covered "
				"by event-logging checkpoints");
		return MPI_SUCCESS;
	}
	elc_request_cancelled(inner);
	return elc_succeeded(PMPI_Cancel(&inner), "MPI_Cancel");
}

/* The functions of MPI that send messages from one rank to another. */
#include "profile/preload/preload.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAVE_MPI_4
#endif

/* Blocking and nonblocking sends, and persistent ones. */
#define SEND(Name, Count)                                                                         \
	EXPORT int MPI_##Name(const void *buf, Count count, MPI_Datatype type, int dest, int tag, \
			      MPI_Comm comm)                                                      \
	{                                                                                         \
		const int rc = PMPI_##Name(buf, count, type, dest, tag, comm);                    \
                                                                                                  \
		if (rc == MPI_SUCCESS)                                                            \
			count_send(dest, count, type, comm);                                      \
		return rc;                                                                        \
	}

#define ISEND(Name, Count)                                                                        \
	EXPORT int MPI_##Name(const void *buf, Count count, MPI_Datatype type, int dest, int tag, \
			      MPI_Comm comm, MPI_Request *request)                                \
	{                                                                                         \
		const int rc = PMPI_##Name(buf, count, type, dest, tag, comm, request);           \
                                                                                                  \
		if (rc == MPI_SUCCESS)                                                            \
			count_send(dest, count, type, comm);                                      \
		return rc;                                                                        \
	}

#define SEND_INIT(Name, Count)                                                                    \
	EXPORT int MPI_##Name(const void *buf, Count count, MPI_Datatype type, int dest, int tag, \
			      MPI_Comm comm, MPI_Request *request)                                \
	{                                                                                         \
		const int rc = PMPI_##Name(buf, count, type, dest, tag, comm, request);           \
                                                                                                  \
		if (rc == MPI_SUCCESS)                                                            \
			persistent_message(*request, dest, count, type, comm);                    \
		return rc;                                                                        \
	}

/* Last: MPI_Status of a blocking call, MPI_Request of a nonblocking one. */
#define SENDRECV(Name, Count, Last)                                                               \
	EXPORT int MPI_##Name(const void *sent, Count send_count, MPI_Datatype send_type,         \
			      int dest, int send_tag, void *received, Count count,                \
			      MPI_Datatype type, int source, int tag, MPI_Comm comm, Last *last)  \
	{                                                                                         \
		const int rc = PMPI_##Name(sent, send_count, send_type, dest, send_tag, received, \
					   count, type, source, tag, comm, last);                 \
                                                                                                  \
		if (rc == MPI_SUCCESS)                                                            \
			count_send(dest, send_count, send_type, comm);                            \
		return rc;                                                                        \
	}

#define SENDRECV_REPLACE(Name, Count, Last)                                                      \
	EXPORT int MPI_##Name(void *buf, Count count, MPI_Datatype type, int dest, int send_tag, \
			      int source, int tag, MPI_Comm comm, Last *last)                    \
	{                                                                                        \
		const int rc =                                                                   \
			PMPI_##Name(buf, count, type, dest, send_tag, source, tag, comm, last);  \
                                                                                                 \
		if (rc == MPI_SUCCESS)                                                           \
			count_send(dest, count, type, comm);                                     \
		return rc;                                                                       \
	}

SEND(Send, int)
SEND(Bsend, int)
SEND(Ssend, int)
SEND(Rsend, int)
ISEND(Isend, int)
ISEND(Ibsend, int)
ISEND(Issend, int)
ISEND(Irsend, int)
SEND_INIT(Send_init, int)
SEND_INIT(Bsend_init, int)
SEND_INIT(Ssend_init, int)
SEND_INIT(Rsend_init, int)
SENDRECV(Sendrecv, int, MPI_Status)
SENDRECV_REPLACE(Sendrecv_replace, int, MPI_Status)

#ifdef HAVE_MPI_4
SENDRECV(Isendrecv, int, MPI_Request)
SENDRECV_REPLACE(Isendrecv_replace, int, MPI_Request)

/* All partitions are one message, which is counted when the request is started. */
EXPORT int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype type,
			  int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	const int rc =
		PMPI_Psend_init(buf, partitions, count, type, dest, tag, comm, info, request);

	if (rc == MPI_SUCCESS)
		persistent_message(*request, dest, (int64_t)partitions * (int64_t)count, type,
				   comm);
	return rc;
}
#endif

#if MPI_VERSION >= 4
SEND(Send_c, MPI_Count)
SEND(Bsend_c, MPI_Count)
SEND(Ssend_c, MPI_Count)
SEND(Rsend_c, MPI_Count)
ISEND(Isend_c, MPI_Count)
ISEND(Ibsend_c, MPI_Count)
ISEND(Issend_c, MPI_Count)
ISEND(Irsend_c, MPI_Count)
SEND_INIT(Send_init_c, MPI_Count)
SEND_INIT(Bsend_init_c, MPI_Count)
SEND_INIT(Ssend_init_c, MPI_Count)
SEND_INIT(Rsend_init_c, MPI_Count)
SENDRECV(Sendrecv_c, MPI_Count, MPI_Status)
SENDRECV_REPLACE(Sendrecv_replace_c, MPI_Count, MPI_Status)
SENDRECV(Isendrecv_c, MPI_Count, MPI_Request)
SENDRECV_REPLACE(Isendrecv_replace_c, MPI_Count, MPI_Request)
#endif

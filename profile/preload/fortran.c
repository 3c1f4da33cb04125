/* Fortran: from MPI_Init() to MPI_Finalize(), and sends. */
#include "profile/preload/fortran.h"

#ifdef OPEN_MPI

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fortran_next(void *real, const char *name)
{
	void *at;

	memcpy(&at, real, sizeof at);
	if (at)
		return;
	at = dlsym(RTLD_NEXT, name);
	if (!at) {
		fprintf(stderr, "rollbench profile: this MPI has no function %s\n", name);
		abort();
	}
	memcpy(real, &at, sizeof at);
}

#define MESSAGE void *buf, fint *count, fint *type, fint *dest, fint *tag, fint *comm
#define MESSAGE_ARGS buf, count, type, dest, tag, comm
#define COUNT_MESSAGE count_send(*dest, *count, C_TYPE(type), C_COMM(comm))
#define KEEP_MESSAGE \
	persistent_message(C_REQUEST(request), *dest, *count, C_TYPE(type), C_COMM(comm))

#define SEND(name) FORTRAN(name, LIST(MESSAGE), LIST(MESSAGE_ARGS), COUNT_MESSAGE)
#define ISEND(name) \
	FORTRAN(name, LIST(MESSAGE, fint *request), LIST(MESSAGE_ARGS, request), COUNT_MESSAGE)
#define SEND_INIT(name) \
	FORTRAN(name, LIST(MESSAGE, fint *request), LIST(MESSAGE_ARGS, request), KEEP_MESSAGE)

SEND(send)
SEND(bsend)
SEND(ssend)
SEND(rsend)
ISEND(isend)
ISEND(ibsend)
ISEND(issend)
ISEND(irsend)
SEND_INIT(send_init)
SEND_INIT(bsend_init)
SEND_INIT(ssend_init)
SEND_INIT(rsend_init)

#define RECEIVED void *in, fint *in_count, fint *in_type, fint *source, fint *in_tag
FORTRAN(sendrecv,
	LIST(void *buf, fint *count, fint *type, fint *dest, fint *tag, RECEIVED, fint *comm,
	     fint *status),
	LIST(buf, count, type, dest, tag, in, in_count, in_type, source, in_tag, comm, status),
	COUNT_MESSAGE)
FORTRAN(sendrecv_replace,
	LIST(void *buf, fint *count, fint *type, fint *dest, fint *tag, fint *source, fint *in_tag,
	     fint *comm, fint *status),
	LIST(buf, count, type, dest, tag, source, in_tag, comm, status), COUNT_MESSAGE)
#if OMPI_MAJOR_VERSION >= 5
FORTRAN(isendrecv,
	LIST(void *buf, fint *count, fint *type, fint *dest, fint *tag, RECEIVED, fint *comm,
	     fint *request),
	LIST(buf, count, type, dest, tag, in, in_count, in_type, source, in_tag, comm, request),
	COUNT_MESSAGE)
FORTRAN(isendrecv_replace,
	LIST(void *buf, fint *count, fint *type, fint *dest, fint *tag, fint *source, fint *in_tag,
	     fint *comm, fint *request),
	LIST(buf, count, type, dest, tag, source, in_tag, comm, request), COUNT_MESSAGE)
FORTRAN(psend_init,
	LIST(void *buf, fint *partitions, MPI_Count *count, fint *type, fint *dest, fint *tag,
	     fint *comm, fint *info, fint *request),
	LIST(buf, partitions, count, type, dest, tag, comm, info, request),
	persistent_message(C_REQUEST(request), *dest, *partitions *(int64_t)*count, C_TYPE(type),
			   C_COMM(comm)))
#endif

static void started(int count, const fint *requests)
{
	for (int i = 0; i < count; i++)
		persistent_started(C_REQUEST(&requests[i]));
}

FORTRAN(start, LIST(fint *request), LIST(request), started(1, request))
FORTRAN(startall, LIST(fint *count, fint *requests), LIST(count, requests),
	started(*count, requests))
FORTRAN(init_thread, LIST(fint *required, fint *provided), LIST(required, provided),
	life_begin(*provided))

/* Those that do something first, or have no parameters. */
#define REQUEST_FREE(suffix)                                                                      \
	extern void pmpi_request_free##suffix(fint *request, fint *ierror) __attribute__((weak)); \
	EXPORT void mpi_request_free##suffix(fint *request, fint *ierror);                        \
	EXPORT void mpi_request_free##suffix(fint *request, fint *ierror)                         \
	{                                                                                         \
		persistent_forget(C_REQUEST(request));                                            \
		pmpi_request_free##suffix(request, ierror);                                       \
	}
#define INIT(suffix)                                                       \
	extern void pmpi_init##suffix(fint *ierror) __attribute__((weak)); \
	EXPORT void mpi_init##suffix(fint *ierror);                        \
	EXPORT void mpi_init##suffix(fint *ierror)                         \
	{                                                                  \
		fint result;                                               \
                                                                           \
		pmpi_init##suffix(&result);                                \
		if (result == MPI_SUCCESS)                                 \
			life_begin(MPI_THREAD_SINGLE);                     \
		if (ierror)                                                \
			*ierror = result;                                  \
	}
#define FINALIZE(suffix)                                                       \
	extern void pmpi_finalize##suffix(fint *ierror) __attribute__((weak)); \
	EXPORT void mpi_finalize##suffix(fint *ierror);                        \
	EXPORT void mpi_finalize##suffix(fint *ierror)                         \
	{                                                                      \
		life_end();                                                    \
		pmpi_finalize##suffix(ierror);                                 \
	}
#define ABORT(suffix)                                                        \
	extern void pmpi_abort##suffix(fint *comm, fint *code, fint *ierror) \
		__attribute__((weak));                                       \
	EXPORT void mpi_abort##suffix(fint *comm, fint *code, fint *ierror); \
	EXPORT void mpi_abort##suffix(fint *comm, fint *code, fint *ierror)  \
	{                                                                    \
		abort_called(*code);                                         \
		pmpi_abort##suffix(comm, code, ierror);                      \
	}
#define PCONTROL(suffix)                               \
	EXPORT void mpi_pcontrol##suffix(fint *level); \
	EXPORT void mpi_pcontrol##suffix(fint *level)  \
	{                                              \
		recorder_phase(*level);                \
		PMPI_Pcontrol(*level);                 \
	}
#define BOTH(define) define(_) define(_f08_)

BOTH(REQUEST_FREE)
BOTH(INIT)
BOTH(FINALIZE)
BOTH(ABORT)
BOTH(PCONTROL)

#endif

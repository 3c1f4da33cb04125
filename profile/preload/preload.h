/* profile/preload/preload.h - the library that is preloaded into an MPI program (LD_PRELOAD): it
 * defines functions of MPI, counts their calls, and calls the real ones by their names with PMPI.
 *
 * The environment variable ROLLBENCH_PROFILE names the file of the profile; without it nothing is
 * counted. A process that does not reach MPI_Finalize() leaves what it has counted in a file of its
 * own, FILE.rank-N. */
#ifndef PROFILE_PRELOAD_PRELOAD_H
#define PROFILE_PRELOAD_PRELOAD_H

#include "profile/preload/ranks.h"
#include "profile/preload/recorder.h"

/* Only what this marks can be seen by the program. */
#define EXPORT __attribute__((visibility("default")))

/* After the real MPI_Init(), and before the real MPI_Finalize(). */
void life_begin(int provided);
void life_end(void);

/* Before the real MPI_Abort(). */
void abort_called(int code);

/* This process ends without MPI_Finalize(): write FILE.rank-N. reason: a few words. Can be called
 * by a signal handler. Only the first call does anything. */
void spill(const char *reason);
/* Have it called when the process exits or is killed by a signal that can be caught. */
void spill_watch(void);

/* A persistent request has been made, which sends a message when it is started, or calls a
 * collective. */
void persistent_message(MPI_Request request, int dest, int64_t count, MPI_Datatype type,
			MPI_Comm comm);
void persistent_collective(MPI_Request request, enum kind kind, MPI_Comm comm, int64_t bytes);
/* It has been started; it is about to be freed. Other requests have no effect. */
void persistent_started(MPI_Request request);
void persistent_forget(MPI_Request request);

/* A call of a collective. */
void count_collective(enum kind kind, MPI_Comm comm, int64_t bytes);

#endif

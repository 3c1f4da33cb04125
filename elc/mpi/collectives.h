/* Collective functions as messages: what collectives.c and reductions.c share. */
#ifndef ELC_MPI_COLLECTIVES_H
#define ELC_MPI_COLLECTIVES_H

#include "elc/mpi/state.h"

/* Tags of their messages. */
enum { ELC_TAG_BARRIER = 1, ELC_TAG_BCAST, ELC_TAG_GATHER, ELC_TAG_SCATTER, ELC_TAG_EXCHANGE, ELC_TAG_REDUCE, ELC_TAG_SCAN };

int elc_bcast(const char *function, void *buf, int count, MPI_Datatype type, int root, const struct elc_comm *c);
/* Within this process, between any datatypes with one signature. */
void elc_copy_local(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type);
MPI_Request *elc_new_requests(int n); /* malloc */

#endif

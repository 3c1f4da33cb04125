/* Buffers for MPI_Bsend. Stamps need room in them, too: MPI gets a larger one, and the program gets
 * its own back. */
#ifndef ELC_WIRE_BUFFER_H
#define ELC_WIRE_BUFFER_H

/* A buffer for MPI in the place of the program's one of this size, and the size of it. NULL: no
 * memory. */
void *elc_buffer_larger(void *program, int bytes, int *larger);
/* MPI has given a buffer back: where its address and its size are. Those of the program take their
 * place, and what was in the place of its buffer is freed. */
void elc_buffer_back(void *buffer, int *bytes);

#endif

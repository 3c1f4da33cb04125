/* harness/machine/fact.h - what only a process of a job knows, as a file of one line in the run
 * folder: the record reads it there. */
#ifndef HARNESS_MACHINE_FACT_H
#define HARNESS_MACHINE_FACT_H

#include <stdbool.h>
#include <stddef.h>

/* Written by each process before it begins MPI_Init: what went wrong before it is no death of a
 * process. */
#define FACT_STARTED "started"
/* Written by a process that refuses to run, with the reason: nobody died, and a new job would
 * refuse, too. */
#define FACT_REFUSED "refused"

/* Written by rank 0 if other ranks are on its host, and by each rank that has no memory of the MPI
 * to share with those on its host (network_shares_memory()). */
#define FACT_SHARES "shares-memory"
#define FACT_SHARES_NOT "shares-no-memory"

/* Write the text as dir/name. A file that cannot be written stays away, and the record says that
 * the fact is not known. */
void fact_write(const char *dir, const char *name, const char *text);
/* The first line of dir/name, shortened to size - 1 characters; "": there is none. */
void fact_read(const char *dir, const char *name, char *out, size_t size);
bool fact_there(const char *dir, const char *name);
void fact_forget(const char *dir, const char *name);

#endif

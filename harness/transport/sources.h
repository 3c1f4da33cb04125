/* harness/transport/sources.h - who sets parameters of the MPI: files, the environment, the
 * arguments for mpirun (private to harness/transport). */
#ifndef HARNESS_TRANSPORT_SOURCES_H
#define HARNESS_TRANSPORT_SOURCES_H

#include <jansson.h>
#include <stdbool.h>

/* settings: all parameters of the MPI by name, with their values in this process
 * (harness/transport/settings.h); {}: not known. */

/* The fault-tolerant settings of the installation (share/openmpi/amca-param-sets/ft-mpi) by name.
 * New reference. *path: borrowed from the result's member "", which is where they were found. NULL:
 * they are not there. */
json_t *sources_fault_tolerant(const json_t *settings);
/* Each parameter that somebody sets: {"name": {"value": V, "from": WHO}} of the one who decides:
 * "command line", "environment", "file PATH", "overriding file PATH". arguments: those of the user
 * for mpirun, with blanks between them. New reference. */
json_t *sources_given(const json_t *settings, const char *arguments);
/* Is the word an option of mpirun behind which the name and the value of a parameter of the MPI
 * follow? */
bool sources_is_option(const char *word);

#endif

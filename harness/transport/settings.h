/* harness/transport/settings.h - the parameters of the MPI that a process has in force, as the MPI
 * itself says (MPI_T). */
#ifndef HARNESS_TRANSPORT_SETTINGS_H
#define HARNESS_TRANSPORT_SETTINGS_H

#include <jansson.h>

/* {"pml": "ob1", "mpi_ft_enable": "1", ...}: all control variables that hold text or a number, some
 * 700. New reference; {} if the MPI says nothing. It may be called in a process of a job, where it
 * takes about a millisecond, and in any other, where the MPI reads the files of the site for it. */
json_t *settings_in_force(void);
/* Tell the record of the run in that folder, as the event "mpi", the version of the MPI and these
 * parameters (transport_record()). */
void settings_tell(const json_t *settings, const char *dir);

#endif

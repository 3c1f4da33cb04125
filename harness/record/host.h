/* harness/record/host.h - the machine of a run as JSON for the record; found once per process. */
#ifndef HARNESS_RECORD_HOST_H
#define HARNESS_RECORD_HOST_H

#include <jansson.h>

/* New reference. run_dir: the folder where the workers left the version of the MPI library. */
json_t *host_json(const char *run_dir);

#endif

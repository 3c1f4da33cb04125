/* harness/record/host.h - what a run ran on: as JSON for the record, found once per process. */
#ifndef HARNESS_RECORD_HOST_H
#define HARNESS_RECORD_HOST_H

#include <jansson.h>

/* New reference. run_dir: where the workers left the MPI library's version. */
json_t *host_json(const char *run_dir);

#endif

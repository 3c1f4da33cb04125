/* harness/record/host.h - the machine of a run as JSON for the record. */
#ifndef HARNESS_RECORD_HOST_H
#define HARNESS_RECORD_HOST_H

#include <jansson.h>

/* Complete what the harness knows, host_of_harness() of the launch, and return it. events: of the
 * run, with what its jobs said of the MPI, the network and the memory that processes share. */
json_t *host_json(json_t *harness, const json_t *events);

#endif

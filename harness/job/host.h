/* harness/job/host.h - the machine that starts a run, and the program that runs. */
#ifndef HARNESS_JOB_HOST_H
#define HARNESS_JOB_HOST_H

#include <jansson.h>

/* New reference: the part of `host` in a record that the harness knows, and "transport_plan": what
 * messages are to travel by (harness/transport/transport.h). */
json_t *host_of_harness(void);

#endif

/* harness/job/queues.h - the receive queues in the MPI's shared memory, read from outside when a
 * job does not go on.
 *
 * A sender that dies while it adds a message can leave a queue in which nothing that comes later is
 * found (docs/ulfm-notes.md, "The queue of shared memory"). This says whether that is why a job
 * hangs. It knows the layout of Open MPI 5.0's opal/mca/btl/sm (btl_sm_fifo.h, btl_sm_types.h) on
 * 64 bits, and jobs on one host. */
#ifndef HARNESS_JOB_QUEUES_H
#define HARNESS_JOB_QUEUES_H

#include <jansson.h>

/* Whose queues are broken, among the initial ranks that live, in the job with that run folder,
 * which the calling process has started: a new list of ranks, or null if a queue cannot be read. A
 * queue to which a living process is just adding a message looks the same, so this is for jobs that
 * have waited for seconds. */
json_t *queues_broken(const char *dir, int ranks);
/* The same for the end of a message: "", or "; broken queues of shared memory: rank 3
 * (docs/ulfm-notes.md)". */
enum { QUEUES_TEXT = 160 };
void queues_say(const char *dir, int ranks, char out[QUEUES_TEXT]);

#endif

/* harness/options/allocation.h - the hosts that a batch system has given to this job: Slurm, PBS,
 * LSF or Flux. */
#ifndef HARNESS_OPTIONS_ALLOCATION_H
#define HARNESS_OPTIONS_ALLOCATION_H

#include "harness/options/hosts.h"

/* Found by the environment that the batch system sets: SLURM_JOB_NODELIST; PBS_NODEFILE;
 * LSB_DJOB_HOSTFILE or LSB_MCPU_HOSTS; FLUX_URI, where `flux getattr hostlist` says them. Slots are
 * those of the batch system where they differ among hosts. h->spare_hosts stays. h->count is 0 if
 * there is no allocation, or only this host is in it. *from: what said so, "" if nothing did.
 * RB_OK, or RB_EINVAL: it cannot be read. */
enum { ALLOCATION_TEXT = 160 };
int allocation_find(struct hosts *h, char from[ALLOCATION_TEXT], struct rb_error *err);
/* Has the user said, by $ROLLBENCH_NO_ALLOCATION, that no allocation counts? */
bool allocation_is_left(void);
/* Add the hosts of "n[1-3,07],login-[a1-a2]"-like lists as Slurm and Flux write them: brackets hold
 * numbers and ranges. */
int allocation_expand(struct hosts *h, const char *list, struct rb_error *err);

#endif

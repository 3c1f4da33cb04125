/* harness/rank/detector.h - the detector of a host: its processes learn of deaths among them.
 *
 * With ULFM, MPI learns of a death from its runtime, PMIx: the daemon of the host waits until the
 * kernel has released the dead process, and then notifies the others. The processes of a host can
 * know it earlier (base/deaths.h), and each tells its own MPI, through the library of PMIx that it
 * uses, what the daemon will tell later (docs/ulfm-notes.md, "When survivors are notified"). */
#ifndef HARNESS_RANK_DETECTOR_H
#define HARNESS_RANK_DETECTOR_H

#include "base/error.h"

struct detector;

/* Called by a process once its MPI is initialised. `job` is the number of its job in the run with
 * this folder; the first `most` processes of the job on a host have a place. From now on this
 * process learns of the deaths of those that have called this, and they of its. NULL: err has the
 * reason; then the runtime notifies, and nothing else changes. */
struct detector *detector_start(const char *dir, int job, int most, struct rb_error *err);
/* Before this process ends or MPI is finalised. NULL is fine. */
void detector_stop(struct detector *d);

#endif

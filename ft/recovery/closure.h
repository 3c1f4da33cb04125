/* ft/recovery/closure.h - who rolls back: the closure over channels whose log has holes.
 *
 * Start with the dead roles at the checkpoint c. Whenever a role s is ahead of a role d and a
 * message s -> d of iterations [front[d], front[s]) is not in s's log, s rolls back to c too,
 * so that it computes that message again. Repeat until nothing changes. Lagging survivors
 * count as receivers as well, so the one-iteration skew between survivors (message-logging-
 * kernels paper, Sect. 4.1) needs no special case. The result depends only on the arguments:
 * every role computes it for itself and all agree. */
#ifndef FT_RECOVERY_CLOSURE_H
#define FT_RECOVERY_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

/* front[r]: in, the iteration role r is in; out, the iteration it resumes with.
 * hole[s * np + d]: newest iteration with an unlogged message s -> d (ft/msg/log.h).
 * rolled[r]: in, true for dead roles; out, true for the whole rollback set.
 * Returns the length of the longest rollback chain: 0 if only the dead roll back, 1 if the others
 * do so for their sake, 2 if some do for the sake of those, ... (memory-constrained-logging paper,
 * Sect. V-B). */
int closure(int np, int64_t c, int64_t *front, const int64_t *hole, bool *rolled);

#endif

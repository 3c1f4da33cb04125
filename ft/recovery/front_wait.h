/* ft/recovery/front_wait.h - where blocked roles wait for those that catch up (private to ft/).
 *
 * After a recovery in which not all roles go back, most roles can only wait in the first iteration
 * that they had not finished, the front, and by default do so in MPI's busy waiting. With a way of
 * saving power (ft_config.power) they wait here instead: every role that is behind tells them when
 * it has reached the front. This is the barrier of the power-log-n-roll paper (Alg. 1, line 52),
 * but the last roles do not wait. A role first finishes its replay, at full speed. */
#ifndef FT_RECOVERY_FRONT_WAIT_H
#define FT_RECOVERY_FRONT_WAIT_H

#include "ft/line/save.h"
#include "ft/recovery/wakeup.h"

/* Between two iterations; does nothing unless this role has reached the front of a recovery. RB_OK,
 * RB_LOST, or what save_poll() returns. */
int front_wait(struct role *r, struct save *save, const struct wakeup *w, struct rb_error *err);

#endif

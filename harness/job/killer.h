/* harness/job/killer.h - kills processes of a run from outside, by the clock (inject/outside.h).
 *
 * A thread of the harness sends the signals, so it ends with the harness however that ends. It
 * looks again at each process before it signals it (harness/job/member.h). Each kill that was sent
 * is an event "kill" of the run. */
#ifndef HARNESS_JOB_KILLER_H
#define HARNESS_JOB_KILLER_H

#include "harness/options/spec.h"

struct killer;

/* Begin for the jobs of a run, from the first to the last; spec and dir must outlive it. *k is NULL
 * if the run has no such kills. RB_OK; RB_EIO: this machine cannot do it; RB_ENOMEM. */
int killer_start(struct killer **k, const struct run_spec *spec, const char *dir,
		 struct rb_error *err);
/* Has it killed a process at its start? NULL is fine. */
bool killer_hit_start(const struct killer *k);
/* End it and free it; kills that are not due yet are not sent. NULL is fine. */
void killer_stop(struct killer *k);

#endif

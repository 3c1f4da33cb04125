/* harness/record/evidence.h - how a run ended, from what it has left: ledgers and events (private
 * to harness/record/). */
#ifndef HARNESS_RECORD_EVIDENCE_H
#define HARNESS_RECORD_EVIDENCE_H

#include "base/error.h"
#include "ft/ledger.h"
#include "harness/options/spec.h"
#include "harness/record/status.h"

struct evidence {
	const struct run_spec *spec;
	const struct kernel_plan *plan;
	const json_t *events;       /* of the run */
	const json_t *ended;        /* the event of the last launch: what the harness saw */
	struct ledger *ledger;      /* np; magic 0: the role left none */
	bool finished;              /* every role has written its result */
	char message[RB_ERROR_MAX]; /* why the run did not end well; "" if it did */
};

/* Has the role written its result? */
bool evidence_has_result(const struct ledger *l);
/* Read the ledgers in a run folder; e->ledger is the caller's. */
void evidence_read(struct evidence *e, const char *dir);
/* Did the kernel's own verification succeed, with one answer in all roles? */
bool evidence_verified(const struct evidence *e);
/* Find the status of the run and the message. */
enum run_status evidence_classify(struct evidence *e);
/* Did the last job end in this way? exited, cut, lingered, stuck, deadline or interrupted
 * (harness/job/launch_job.h). */
bool evidence_ended(const struct evidence *e, const char *how);

#endif

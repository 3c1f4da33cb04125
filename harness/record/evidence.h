/* harness/record/evidence.h - how a run ended, from what it has left: ledgers, marks of kills,
 * mpirun's log (private to harness/record/). */
#ifndef HARNESS_RECORD_EVIDENCE_H
#define HARNESS_RECORD_EVIDENCE_H

#include "ft/ledger.h"
#include "harness/record/record.h"

struct evidence {
	const struct run_spec *spec;
	const struct kernel_plan *plan;
	const struct launch *launch;
	struct ledger *ledger;      /* np; magic 0: the role left none */
	bool finished;              /* every role has written its result */
	char message[RB_ERROR_MAX]; /* why the run did not end well; "" if it did */
};

/* Has the role written its result? */
bool evidence_has_result(const struct ledger *l);
/* Read the ledgers; e->ledger is the caller's. */
void evidence_read(struct evidence *e);
/* Did the kernel's own verification succeed, with one answer in all roles? */
bool evidence_verified(const struct evidence *e);
/* Find the status of the run and the message. */
enum run_status evidence_classify(struct evidence *e);

#endif

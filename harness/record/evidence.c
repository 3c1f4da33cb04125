#include "harness/record/evidence.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/record/kills.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool evidence_has_result(const struct ledger *l)
{
	return l->magic == LEDGER_MAGIC && l->finished_at >= 0;
}

void evidence_read(struct evidence *e, const char *dir)
{
	ledger_read_all(dir, e->spec->np, e->ledger);
	e->finished = true;
	for (int r = 0; r < e->spec->np; r++)
		e->finished = e->finished && evidence_has_result(&e->ledger[r]);
}

/* The others lose a role that has given up, and may then lack spares or see errors of the MPI:
 * these come last. */
static int rank_of_cause(int32_t status)
{
	return status == RB_EMPI ? 1 : status == RB_ESPARES ? 2 : 3;
}

/* Why roles gave up. NULL: none has. */
static const struct ledger *find_cause(const struct evidence *e)
{
	const struct ledger *cause = NULL;

	for (int r = 0; r < e->spec->np; r++) {
		const struct ledger *l = &e->ledger[r];

		if (l->magic == LEDGER_MAGIC && l->phase == LEDGER_FAILED &&
		    (!cause || rank_of_cause(l->status) > rank_of_cause(cause->status)))
			cause = l;
	}
	return cause;
}

/* Describe in one line where the roles are: "0: step 13, 1: repair 13, ...". */
static void describe_hang(struct evidence *e)
{
	size_t used = (size_t)snprintf(e->message, sizeof e->message,
				       "no end within %g s; roles were in", e->spec->deadline_s);

	for (int r = 0; r < e->spec->np && used < sizeof e->message; r++) {
		const struct ledger *l = &e->ledger[r];

		used += (size_t)snprintf(e->message + used, sizeof e->message - used,
					 "%s %d: %s %" PRId64, r ? "," : "", r,
					 l->magic ? ledger_phase_name((enum ledger_phase)l->phase)
						  : "not started",
					 l->front);
	}
	if (used < sizeof e->message)
		snprintf(e->message + used, sizeof e->message - used, "%s",
			 text_of(e->ended, "queues"));
}

/* Has Rollbench killed every process, spares included? Then no process was left to report this. */
static bool all_killed(const struct evidence *e)
{
	struct kills kills;
	bool all = kills_read(&kills, e->events) == RB_OK;
	int processes = kills.spares;

	for (int r = 0; r < e->spec->np; r++) {
		const int played = e->ledger[r].incarnations;

		processes += played;
		all = all && played > 0 && kills_behind(&kills, r, played - 1) != NULL;
	}
	kills_free(&kills);
	return all && e->spec->strategy == FT_GO_ON && processes >= e->spec->np + e->spec->spares;
}

static bool lost_host(const struct evidence *e)
{
	return json_is_true(json_object_get(e->ended, "lost_host"));
}

static void describe_abort(struct evidence *e)
{
	snprintf(e->message, sizeof e->message, "the job ended without a result%s; it said: %s",
		 lost_host(e) ? ", because a host was lost (see --ckpt file, --hostfile)" : "",
		 text_of(e->ended, "said"));
}

bool evidence_ended(const struct evidence *e, const char *how)
{
	return strcmp(text_of(e->ended, "how"), how) == 0;
}

bool evidence_verified(const struct evidence *e)
{
	for (int r = 0; r < e->spec->np; r++)
		if (!e->ledger[r].verdict_ok ||
		    memcmp(&e->ledger[r].value, &e->ledger[0].value, sizeof(double)) != 0 ||
		    e->ledger[r].finished_at != e->ledger[0].finished_at ||
		    e->ledger[r].executed < e->ledger[r].finished_at)
			return false;
	return true;
}

/* Find the status from the ledgers alone, because the exit status of mpirun is 0 even if a rank has
 * failed. */
enum run_status evidence_classify(struct evidence *e)
{
	const struct ledger *l;

	if (e->finished) {
		if (evidence_verified(e))
			return STATUS_OK;
		snprintf(e->message, sizeof e->message, "the kernel's own verification failed");
		return STATUS_WRONG;
	}
	/* A role that has given up did so in an earlier job than the one that did not end. */
	if (evidence_ended(e, "deadline") || evidence_ended(e, "stuck")) {
		describe_hang(e);
		return STATUS_HANG;
	}
	/* the MPI ends one process after the other; the others seem to lack spares */
	if (lost_host(e)) {
		describe_abort(e);
		return STATUS_ABORT;
	}
	l = find_cause(e);
	if (l) {
		memcpy(e->message, l->message, sizeof e->message);
		return l->status == RB_ESPARES ? STATUS_OUT_OF_SPARES : STATUS_ABORT;
	}
	if (all_killed(e)) {
		snprintf(e->message, sizeof e->message,
			 "all processes died, the %d spare%s included; start the run with more "
			 "--spares",
			 e->spec->spares, e->spec->spares == 1 ? "" : "s");
		return STATUS_OUT_OF_SPARES;
	}
	describe_abort(e);
	return STATUS_ABORT;
}

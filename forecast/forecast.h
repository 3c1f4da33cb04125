/* forecast/forecast.h - who will roll back, replay or wait, before anything runs.
 *
 * Every role's sends (contract/pattern.h) are entered into the same policy and log as in a run,
 * without payloads and without MPI; the closure is the run's, too. A forecast cannot know how far
 * the survivors are when they notice the failure: from lo[r] to hi[r], an iteration apart, and
 * perhaps in the middle of an iteration. What depends on that is MAYBE.
 *
 * With data-flow rollback the dead alone are restarted, and others recompute on duplicates; who
 * does follows from the cone of a run (forecast/dataflow.h). How many iterations are lost depends
 * on the fronts, so there are two answers: for the earliest fronts and for the latest. */
#ifndef FORECAST_FORECAST_H
#define FORECAST_FORECAST_H

#include "ft/log/policy.h"
#include "ft/log/schedule.h"
#include "contract/pattern.h"
#include "forecast/dataflow.h"

enum forecast_answer { FORECAST_NO, FORECAST_MAYBE, FORECAST_YES };

/* The run to forecast. */
struct forecast_run {
	const struct pattern *pattern;
	struct policy policy;     /* role and np are filled in for each role */
	struct schedule schedule; /* of checkpoints */
	int64_t iterations;       /* not used by forecast_make() */
	bool dataflow; /* who lacks a log recomputes on a duplicate and does not go back */
	bool flat;     /* then: and repeats everything on it (ft/recovery/cone.h) */
};

struct forecast {
	int np;
	int64_t checkpoint;           /* what the rolled-back roles go back to */
	enum forecast_answer *rolled; /* np: in the rollback set, the dead included */
	enum forecast_answer *active; /* np: replays to a rolled-back role */
	/* length of the longest rollback chain; 0 with data-flow rollback */
	int chain_least, chain_most;
	int64_t *log_peak; /* np: most payload bytes in the log up to the failure */
	bool dataflow;
	/* with data-flow rollback: with fronts lo and with fronts hi */
	struct dataflow early, late;
};

/* dead: np. lo, hi: np, the iteration a role is in at the earliest and at the latest; for the dead,
 * both where they died. RB_OK, RB_ENOMEM, or RB_EINVAL: the pattern does not fit together. Only
 * what succeeded is to be freed. */
int forecast_make(struct forecast *f, const struct forecast_run *run, int64_t checkpoint,
		  const bool *dead, const int64_t *lo, const int64_t *hi, struct rb_error *err);
void forecast_free(struct forecast *f);

/* The most payload bytes that the log of this role would hold in one of the first intervals
 * (likewise). RB_OK or RB_ENOMEM. */
int forecast_log(const struct forecast_run *run, int role, int64_t *bytes);
/* The most payload bytes that any role's log would hold in one of the first intervals (two, or
 * fewer if the run is shorter). RB_OK or RB_ENOMEM. */
int forecast_peak(const struct forecast_run *run, int64_t *peak, struct rb_error *err);

/* A policy "budget:30%:clusters": a share of the largest log that any role would have under `all`,
 * or under `receiver` if receivers keep the messages. */
struct forecast_share {
	double percent; /* 0: the policy is not such a share */
	bool by_receivers;
	char rest[64]; /* ":clusters" */
};

/* option: for the error ("--policy"). RB_OK, or RB_EINVAL: a share that is not more than 0 and at
 * most 100 percent. */
int forecast_share_parse(struct forecast_share *share, const char *option, const char *policy,
			 struct rb_error *err);
/* The log that it is a share of; run's policy is not used. RB_OK or RB_ENOMEM. */
int forecast_share_peak(const struct forecast_share *share, struct forecast_run run, int64_t *peak,
			struct rb_error *err);
/* The policy with its budget in bytes. */
void forecast_share_policy(const struct forecast_share *share, int64_t peak, char *policy,
			   size_t size);

#endif

/* forecast/calibrate/recorded.h - a recorded run as the simulator needs it: where each of its
 * failures found the roles. */
#ifndef FORECAST_CALIBRATE_RECORDED_H
#define FORECAST_CALIBRATE_RECORDED_H

#include "harness/options/spec.h"
#include "contract/pattern.h"
#include "forecast/time/decision.h"

/* A recovery. np each. */
struct found {
	bool *dead;
	int64_t *front, *line;
	int64_t *copies; /* as in struct situation */
	enum ft_recompute recompute;
};

struct recorded {
	struct run_spec spec;
	struct kernel_args args;
	struct kernel_pattern pattern;
	struct policy policy;
	int *node; /* np */
	int64_t steps;
	int64_t repeated, supported;
	struct found *found; /* count */
	size_t count;
	/* the same with what was decided, and with the keys of recovery_json() */
	json_t *recoveries;
	/* there were repairs that the record does not describe: why; NULL: there were not */
	const char *unseen;
	struct failure failure[INJECT_MAX_KILLS]; /* the planned kills */
	size_t failures;
	char unplanned[96]; /* why these are not all that happened; "": they are */
};

/* RB_OK; RB_ENOMEM; RB_EINVAL: it cannot be compared, with the reason in err. recorded_free() in
 * any case. r points into the record. */
int recorded_read(struct recorded *r, json_t *record, struct rb_error *err);
/* The same without what failures need: its description and its steps. For runs that are ok, also
 * without a failure. */
int recorded_read_run(struct recorded *r, json_t *record, struct rb_error *err);
void recorded_free(struct recorded *r);

#endif

/* harness/cli/explain.h - forecasts of recoveries, for a plan and against a record. */
#ifndef HARNESS_CLI_EXPLAIN_H
#define HARNESS_CLI_EXPLAIN_H

#include "forecast/forecast.h"
#include "harness/options/spec.h"

/* One moment of failure. */
struct explain_case {
	enum ft_recompute recompute; /* what is done by who lacks a log */
	int64_t checkpoint;          /* iteration that is gone back to */
	bool *dead;                  /* np */
	int64_t *lo, *hi;            /* np: where each role is, at the earliest and latest */
};

int explain_case_init(struct explain_case *c, int np, struct rb_error *err); /* RB_OK, RB_ENOMEM */
void explain_case_free(struct explain_case *c);

/* All kills of the plan at once. With data-flow rollback all survivors are assumed to be at least
 * in the iteration of the last kill. RB_EINVAL: they cannot be at once, or a forecast is
 * impossible. */
int explain_plan(struct explain_case *c, const struct run_spec *spec,
		 const struct kernel_plan *plan, struct rb_error *err);
/* See forecast_make(). */
int explain_forecast(struct forecast *f, const struct run_spec *spec, const struct explain_case *c,
		     struct rb_error *err);

/* {"recompute", "checkpoint", "restarted", "perhaps_restarted", "active", "perhaps_active",
 * "blocked", "chain": [least, most], "log_bytes_peak": [...]}. With data-flow rollback also
 * {"front", "supporting", "sending", "idle", "distance": [...], "supported_each": [...],
 * "supported", "iterations": {"restarted", "supported", "cone", "rollback", "full_logging",
 * "global"}, "global_after"}; and, if the latest fronts give another answer, these keys for them in
 * "perhaps". docs/failures.md says what they mean. New reference. */
json_t *explain_json(const struct forecast *f, enum ft_recompute how);

/* cmd_explain.c: what `rollbench explain WORDS --json` prints. argv[0]: the command's name; no word
 * is --help. *answer: new reference. RB_OK, or a negative status. */
int explain_answer(int argc, char **argv, json_t **answer, struct rb_error *err);

/* explain_text.c: print such a forecast. If it has a "layout" of rows and columns of roles, the
 * cone is drawn. */
void explain_say(const json_t *forecast);
bool explain_is_dataflow(const json_t *forecast);

/* A record with more roles is not compared: a forecast needs memory for each pair of roles. */
enum { EXPLAIN_COMPARED_ROLES = 16384 };
/* Print whether a recovery of a record agrees with its forecast, and the forecast if it does not.
 * The recovery may lack keys. Forecast null: the record does not say where the roles were, so
 * nothing can differ. false: they differ. */
bool explain_compare(const json_t *failure, const json_t *forecast);

#endif

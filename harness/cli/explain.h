/* harness/cli/explain.h - forecasts of recoveries, for a plan and against a record. */
#ifndef HARNESS_CLI_EXPLAIN_H
#define HARNESS_CLI_EXPLAIN_H

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

/* All kills of the plan at once. With --strategy restart all roles die with the job. With data-flow
 * rollback all survivors are assumed to be at least in the iteration of the last kill. RB_EINVAL:
 * they cannot be at once, or a forecast is impossible. */
int explain_plan(struct explain_case *c, const struct run_spec *spec,
		 const struct kernel_plan *plan, struct rb_error *err);
/* The forecast for it, as forecast_make() has it: {"recompute", "checkpoint", "restarted",
 * "perhaps_restarted", "active", "perhaps_active", "blocked", "chain": [least, most],
 * "log_bytes_peak": [...]}. With data-flow rollback also {"front", "supporting", "sending", "idle",
 * "distance": [...], "supported_each": [...], "supported", "iterations": {"restarted", "supported",
 * "cone", "rollback", "full_logging", "global"}, "global_after"}; and, if the latest fronts give
 * another answer, these keys for them in "perhaps". docs/failures.md says what they mean. *out: new
 * reference. RB_OK, or a negative status. */
int explain_forecast(const struct run_spec *spec, const struct explain_case *c, json_t **out,
		     struct rb_error *err);

/* cmd_explain.c: what `rollbench explain WORDS --json` prints. argv[0]: the command's name; no word
 * is --help. *answer: new reference. RB_OK, or a negative status. */
int explain_answer(int argc, char **argv, json_t **answer, struct rb_error *err);

/* explain_text.c: print such a forecast. If it has a "layout" of rows and columns of roles, the
 * cone is drawn. */
void explain_say(const json_t *forecast);
bool explain_is_dataflow(const json_t *forecast);

/* explain_compare.c: does a recovery of a record, which may lack keys, agree with its forecast? It
 * must have what is certain and nothing that is impossible. A record with more roles is not
 * compared: a forecast needs memory for each pair of roles. */
enum { EXPLAIN_COMPARED_ROLES = 16384 };
bool explain_agrees(const json_t *failure, const json_t *forecast);

/* explain_record.c: the recoveries of the records at a path (results_each()) and their forecasts,
 * for the iterations in which the failure found the roles: {"schema": "rollbench-explained-1",
 * "rollbench", "path", "folder": is it one?, "agree", "differ", "unknown": how many recoveries,
 * "left_out": how many records, "records": [{"id", "recoveries": [{"role", "iteration", "fronts",
 * "agrees": true, false or null (the record does not say where the roles were), "forecast": an
 * object or null}]}, or {"id", "left_out": why}]}. *explained: new reference. RB_OK; RB_EINVAL:
 * there are none, or a single file is no record of which recoveries can be compared; RB_EIO or
 * RB_ENOMEM. */
int explain_records(const char *path, json_t **explained, struct rb_error *err);
/* Print of a single file each recovery, and of a folder those that differ and how many do not. */
void explain_records_say(const json_t *explained);
/* On standard error: which recoveries differ, and how many records were left out, or all. */
void explain_records_warn(const json_t *explained);
/* false: a recovery differs, or nothing in a folder was compared. */
bool explain_records_agree(const json_t *explained);

#endif

/* harness/interval/measured.h - how far apart checkpoints should be, from costs that are measured
 * in runs: what `rollbench interval KERNEL` prints. */
#ifndef HARNESS_INTERVAL_MEASURED_H
#define HARNESS_INTERVAL_MEASURED_H

#include "base/error.h"
#include "forecast/optimal_interval.h"
#include "harness/options/spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Make the run, which must end ok. *record: new reference. RB_OK; RB_LOST: interrupted; or a
 * negative status with a message. */
typedef int interval_run(void *ctx, const struct run_spec *spec, json_t **record,
			 struct rb_error *err);

/* What an iteration and a checkpoint cost in a run without a failure; the other costs stay as they
 * are. RB_OK, or RB_EINVAL: they cannot be told from this record. */
int interval_normal(const json_t *record, struct interval_costs *costs, struct rb_error *err);
/* Fill recovery_s and rework from a failure of a record (docs/record.md), if costs->iteration_s is
 * known. false: a time that makes them was not measured, or nothing had to be repeated; such a
 * failure tells nothing, it does not cost nothing. */
bool interval_death(const json_t *failure, struct interval_costs *costs);

/* Make a run without failures, and then runs of each kind of recovery with a death in the last
 * iteration of the second interval, until three of each have measured what it costs. The medians
 * and what follows from them are printed kind by kind. spec: not checked yet, without kills.
 * mtbf_s: mean time between two deaths anywhere in the job. RB_OK; RB_EINVAL: the costs cannot be
 * measured with these options; or what run() returned. */
int interval_measure(const struct run_spec *spec, double mtbf_s, interval_run *run, void *ctx,
		     FILE *to, struct rb_error *err);

#endif

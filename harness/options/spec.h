/* harness/options/spec.h - one run, fully described: what the command line, a sweep and the workers
 * share.
 *
 * A table of its options says how each member is written, and where:
 * harness/options/spec_options.h. */
#ifndef HARNESS_OPTIONS_SPEC_H
#define HARNESS_OPTIONS_SPEC_H

#include "base/error.h"
#include "ft/config.h"
#include "harness/machine/metering.h"
#include "harness/machine/power/power.h"
#include "harness/options/hosts.h"
#include "harness/options/options.h"
#include "inject/outside.h"
#include "contract/kernel.h"

#include <jansson.h>

enum { SPEC_TEXT = 64, SPEC_PATH = 1024, SPARES_BY_PLAN = -1 };

/* What happens to a repair that does not close (harness/job/escalation.h). */
enum spec_escalation { ESCALATION_ON, ESCALATION_OFF };

/* Does each process note what it does (harness/machine/timeline.h)? */
enum spec_timeline { TIMELINE_OFF, TIMELINE_ON };

/* Who notifies survivors of a death (harness/rank/detector.h)? */
enum spec_detector { DETECTOR_HOST, DETECTOR_RUNTIME };

/* Negative controls: runs that must end wrong, which shows that the comparison can fail. */
enum spec_control {
	CONTROL_NONE,
	CONTROL_IN_PLACE, /* failures although the kernel updates its state in place */
	CONTROL_REPLAY,   /* a replay sends a wrong payload */
};

struct run_spec {
	const struct kernel_ops *kernel;
	char value[KERNEL_MAX_OPTIONS][SPEC_TEXT]; /* kernel options, parallel to kernel->options */
	int np;
	/* SPARES_BY_PLAN: as many as the planned kills can cost, once checked */
	int spares;
	char policy[SPEC_TEXT]; /* with bytes, not percent, once checked */
	/* the policy as it was asked for, if that was in percent, else "" */
	char asked[SPEC_TEXT];
	/* the hosts of the run; NULL: this one (the workers do not need it) */
	const struct hosts *hosts;
	int node_size; /* ranks that count as one node; 0: as the host names say */
	double mtbf_s; /* mean time between deaths by chance; 0: none */
	uint64_t seed; /* for these */
	enum ft_strategy strategy;
	enum ft_replace replace;
	enum ft_recompute recompute;
	enum ft_transaction transaction;
	enum ft_constants constants;
	enum spec_detector detector;
	enum power_technique power; /* of blocked roles */
	enum metering_detail meters;
	enum spec_timeline timeline;
	int64_t paired; /* iterations in a block of a paired run; 0: a plain run */
	int64_t interval;
	int64_t ckpt_first;     /* iterations before the first checkpoint; 0: as the interval */
	char ckpt[LEVELS_TEXT]; /* levels (ft/levels.h) */
	int64_t lag;            /* ft_config.lag */
	enum spec_control control;
	double deadline_s; /* whole launch; beyond it the run is a hang */
	/* of one repair; beyond it the job is ended and started again. 0: by the machine */
	double repair_deadline_s;
	enum spec_escalation escalation;
	struct inject_plan plan;
	/* kills by the clock; the harness's business, so not in spec.json */
	struct outside_plan outside;
	bool resumed; /* a kill may be of a host that was there the first time only */
};

/* Does the job survive the death of a process? */
bool spec_goes_on(const struct run_spec *spec);
/* "dataflow": the word for an enum ft_recompute; NULL: there are no more. */
const char *spec_recompute(int how);
/* And back; FT_ROLLBACK: also another text. */
enum ft_recompute spec_recompute_of(const char *word);
/* Must the run end wrong? */
static inline bool spec_must_be_wrong(const struct run_spec *spec)
{
	return spec->control != CONTROL_NONE && spec->plan.count > 0;
}
const char *spec_control(int i); /* the word for an enum spec_control; NULL: there are no more */
/* What recovers the run, in names and tables: "restart", or the policy. */
const char *spec_recovery(const struct run_spec *spec);
/* In which iterations checkpoints are taken. */
static inline struct schedule spec_schedule(const struct run_spec *spec)
{
	return (struct schedule){ spec->interval, spec->ckpt_first };
}
/* View of the kernel options for kernel->plan() and create(). Points into spec. */
struct kernel_args spec_args(const struct run_spec *spec);
/* The node of a rank in the initial world as --node-size or else the host file says; without either
 * all share the one host of this machine. */
int spec_node(const struct run_spec *spec, int rank);
/* kernel_plan.bears_old_data; false also if the kernel has no plan for its options. */
bool spec_bears_old_data(const struct run_spec *spec);
/* Check everything that can be checked before launch and that setting an option does not check.
 * RB_OK or RB_EINVAL. Sets spares, and the policy if it is in percent. */
int spec_check(struct run_spec *spec, struct kernel_plan *plan, struct rb_error *err);

/* spec.json of a run folder, of any kind: what was asked for. It is written, or read: a new
 * reference, NULL with a message (RB_EIO). */
int spec_file_write(const char *dir, const json_t *json, struct rb_error *err);
json_t *spec_file_read(const char *dir, struct rb_error *err);
/* It was read, but is not of this version, for this reason. Returns rc. */
int spec_file_refuse(const char *dir, int rc, const char *why, struct rb_error *err);
/* That of a run by the engine, written by the harness and read by every worker. */
int spec_save(const struct run_spec *spec, const char *dir, struct rb_error *err);
int spec_load(struct run_spec *spec, const char *dir, struct rb_error *err);
/* The same of what was read. */
int spec_of_file(struct run_spec *spec, json_t *json, const char *dir, struct rb_error *err);
/* New reference: the whole description (of hosts the shape, not the names: the next allocation has
 * others, and the run is the same). */
json_t *spec_json(const struct run_spec *spec);
/* Add the options that belong into this part of a record. */
void spec_record(const struct run_spec *spec, json_t *record, enum option_part part);
/* The run that a record describes, without its kills and hosts. RB_EINVAL: not a record of this
 * version. */
int spec_from_record(struct run_spec *spec, json_t *record, struct rb_error *err);
json_t *spec_plan(const struct run_spec *spec); /* new reference: the failure plan */

#endif

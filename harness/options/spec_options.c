#include "harness/options/spec_options.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

enum { NP_MAX = 1 << 20 };

static const char *strategy_word(int i)
{
	static const char *const words[] = { [FT_GO_ON] = "repair", [FT_RESTART] = "restart" };

	return i <= FT_RESTART ? words[i] : NULL;
}

static const char *replace_word(int i)
{
	static const char *const words[] = { [FT_SPARE] = "spare", [FT_SPAWN] = "spawn" };

	return i <= FT_SPAWN ? words[i] : NULL;
}

static const char *escalation_word(int i)
{
	static const char *const words[] = { [ESCALATION_ON] = "on", [ESCALATION_OFF] = "off" };

	return i <= ESCALATION_OFF ? words[i] : NULL;
}

static const char *timeline_word(int i)
{
	static const char *const words[] = { [TIMELINE_OFF] = "off", [TIMELINE_ON] = "on" };

	return i <= TIMELINE_ON ? words[i] : NULL;
}

static const char *detector_word(int i)
{
	static const char *const words[] = {
		[DETECTOR_HOST] = "host", [DETECTOR_RUNTIME] = "runtime"
	};

	return i <= DETECTOR_RUNTIME ? words[i] : NULL;
}

static const char *transaction_word(int i)
{
	static const char *const words[] = { [FT_SWAP] = "swap", [FT_COPY] = "copy" };

	return i <= FT_COPY ? words[i] : NULL;
}

static const char *constants_word(int i)
{
	static const char *const words[] = { [FT_KEEP] = "keep", [FT_COMPUTE] = "compute" };

	return i <= FT_COMPUTE ? words[i] : NULL;
}

static const char *power_word(int i)
{
	return i < POWER_WORDS ? power_name((enum power_technique)i) : NULL;
}

static const char *meters_word(int i)
{
	return i < METERS_DETAILS ? metering_name((enum metering_detail)i) : NULL;
}

/* Of ft_config.lag, from -1 on. */
static const char *lag_word(int i)
{
	static const char *const words[] = { "async", "sync" };

	return i < 2 ? words[i] : NULL;
}

/* --np may follow, so spec_check() finds out whether there is such a role. */
static int set_kill(void *base, const char *text, struct rb_error *err)
{
	return inject_parse(&((struct run_spec *)base)->plan, text, INT32_MAX, err);
}

static int set_kill_at(void *base, const char *text, struct rb_error *err)
{
	return outside_parse(&((struct run_spec *)base)->outside, text, err);
}

static struct hosts hosts; /* a process has one cluster */

static int set_hostfile(void *base, const char *text, struct rb_error *err)
{
	((struct run_spec *)base)->hosts = &hosts;
	return hosts_load(&hosts, text, err);
}

static int set_spare_hosts(void *base, const char *text, struct rb_error *err)
{
	static const struct option row = {
		.name = "spare-hosts", .value = "N", .type = OPTION_INT, .most = HOSTS_MAX
	};

	((struct run_spec *)base)->hosts = &hosts;
	return option_set(&row, &hosts.spare_hosts, text, err);
}

#define AT(member) .at = offsetof(struct run_spec, member)
#define TEXT(member) .type = OPTION_TEXT, AT(member), .most = sizeof((struct run_spec *)0)->member

/* In the order in which they are printed, written to spec.json and, where they are there, in names
 * of runs. A default of 0 in what counts from 1 means none. */
const struct option spec_table[] = {
	{ "np", "N", "roles, that is ranks that compute", OPTION_INT, AT(np), .least = 1,
	  .most = NP_MAX, .standard = "4", .always = true, .required = true,
	  .commands = FOR_PLAN | FOR_PROFILE | FOR_PROTOCOL, .key = "np", .part = PART_RUN,
	  .shape = SHAPE_KEY, .tag = "-np" },
	{ "spares", "N",
	  "ranks that wait to replace dead ones (default: as many as planned kills can cost; 4 "
	  "with --mtbf)",
	  OPTION_INT, AT(spares), .least = 0, .most = NP_MAX, .always = true, .commands = FOR_PLAN,
	  .key = "spares", .part = PART_RUN, .shape = SHAPE_KEY, .tag = "-s" },
	{ "policy", "NAME", "which messages are logged: `rollbench list policies`", TEXT(policy),
	  .standard = "none", .always = true, .required = true, .commands = FOR_PLAN,
	  .key = "policy", .part = PART_RUN, .shape = SHAPE_INNER, .tag = "-" },
	{ "recompute", "HOW",
	  "what a role does that lacks a log of messages that others need again. rollback: it goes "
	  "back to the checkpoint. dataflow: it keeps its state and recomputes them on a "
	  "duplicate, as far as they are needed. dataflow:flat: on the duplicate it repeats all "
	  "iterations since the checkpoint (docs/dataflow.md)",
	  OPTION_WORD, AT(recompute), .word = spec_recompute, .standard = "rollback",
	  .commands = FOR_PLAN, .key = "recompute", .part = PART_RUN, .shape = SHAPE_INNER,
	  .tag = "-" },
	{ "transaction", "HOW",
	  "how an iteration that a failure has interrupted can be begun again. swap: it computes "
	  "out of place, and its commit swaps pointers. copy: all of the state is copied before "
	  "each iteration, and copied back if the iteration is given up; so the kernel may update "
	  "the state in place (lulesh --buffers single)",
	  OPTION_WORD, AT(transaction), .word = transaction_word, .standard = "swap",
	  .commands = FOR_PLAN, .key = "transaction", .part = PART_UNUSUAL, .shape = SHAPE_INNER,
	  .tag = "-" },
	{ "constants", "HOW",
	  "what a replacement does about arrays that the kernel computes once and never changes, such as "
	  "CG's matrix. keep: they outlive their process in memory of its node, where the "
	  "replacement uses them; on another node it computes them. compute: it always computes "
	  "them",
	  OPTION_WORD, AT(constants), .word = constants_word, .standard = "keep",
	  .commands = FOR_PLAN, .key = "constants", .part = PART_UNUSUAL, .shape = SHAPE_KEY,
	  .tag = "-constants=" },
	{ "power", "HOW",
	  "what blocked roles do while others catch up. none: they wait in MPI and spin. sleep: "
	  "they wait at the front without spinning. dvfs, cm, dvfs+cm: they spin there with the "
	  "core at its lowest frequency, with its clock modulated, or both; this needs privileges "
	  "and a core for each role. slow-all: a control; all others are slowed down, too "
	  "(docs/energy.md)",
	  OPTION_WORD, AT(power), .word = power_word, .standard = "none", .commands = FOR_PLAN,
	  .key = "power", .part = PART_POWER, .shape = SHAPE_INNER, .tag = "-" },
	{ "interval", "N", "iterations between two checkpoints", OPTION_LONG, AT(interval),
	  .least = 1, .most = INT64_MAX, .standard = "25", .always = true, .required = true,
	  .commands = FOR_PLAN, .key = "interval", .part = PART_RUN, .shape = SHAPE_KEY,
	  .tag = "-i" },
	{ "ckpt-first", "N",
	  "iterations before the first checkpoint, if these are not as many as between two of "
	  "them: with 1 and a long --interval the only checkpoint is that after the first "
	  "iteration",
	  OPTION_LONG, AT(ckpt_first), .least = 1, .most = INT64_MAX, .standard = "0",
	  .commands = FOR_PLAN, .key = "ckpt_first", .part = PART_CHECKPOINTS, .shape = SHAPE_KEY,
	  .tag = "-first=" },
	{ "ckpt", "LEVELS",
	  "where checkpoints are kept, for instance file,buddy. file: in a file for each role. "
	  "buddy[:COPIES]: in the memory of 1 or 2 other roles, on other hosts if there are any. "
	  "buddy:near: of one on the same host or node. rs:K+M: as Reed-Solomon parity in groups "
	  "of K+M roles, which survives M deaths in each group",
	  TEXT(ckpt), .standard = "file", .commands = FOR_PLAN, .key = "ckpt",
	  .part = PART_CHECKPOINTS, .shape = SHAPE_KEY, .tag = "-ckpt=" },
	{ "ckpt-lag", "WHEN",
	  "when a checkpoint counts. async: as soon as all roles have it, while iterations go on. "
	  "N: N iterations after it was taken. sync: at once, and all roles wait for it",
	  OPTION_LONG, AT(lag), .least = -1, .most = INT32_MAX, .word = lag_word,
	  .standard = "async", .commands = FOR_PLAN, .key = "ckpt_lag", .part = PART_CHECKPOINTS,
	  .shape = SHAPE_KEY, .tag = "-lag=" },
	{ "ckpt-sync", NULL, "the same as --ckpt-lag sync", OPTION_LONG, AT(lag), .least = -1,
	  .word = lag_word, .given = "sync", .commands = FOR_PLAN },
	{ "meters", "DETAIL",
	  "measure CPU time, cycles, instructions and energy by phases, or by iterations (the "
	  "record then has a trace), or off",
	  OPTION_WORD, AT(meters), .word = meters_word, .standard = "phases", .commands = FOR_PLAN,
	  .key = "meters", .record = "meters.detail", .shape = SHAPE_KEY, .tag = "-meters=" },
	{ "timeline", "HOW",
	  "on: the record also has what each process did and when: iterations, waits, and the "
	  "steps of each recovery",
	  OPTION_WORD, AT(timeline), .word = timeline_word, .standard = "off", .commands = FOR_RUN,
	  .key = "timeline", .record = "timeline.state", .shape = SHAPE_KEY, .tag = "-timeline=" },
	{ "kill", "R@I[:PH]",
	  "send SIGKILL to role R in iteration I (from 0) at phase PH (default start); repeatable. "
	  "`rollbench list phases` shows the phases. spareN@I: a spare. nodeN@I: all processes of "
	  "a node. hostN@I: these and its MPI daemon. R@I:PH#2: when the point is reached for the "
	  "second time",
	  OPTION_OWN, .set = set_kill, .commands = FOR_PLAN, .key = "plan", .part = PART_RUN,
	  .shape = SHAPE_KEY },
	{ "kill-node", "N@I[:PH]", "the same as --kill nodeN@I[:PH]", OPTION_OWN, .set = set_kill,
	  .given = "node", .commands = FOR_PLAN },
	{ "kill-at", "S:WHO",
	  "send SIGKILL from outside, S seconds after all roles have begun, to the "
	  "process that then plays role WHO, or that began as a spare (spareN); with start+S:WHO S "
	  "seconds after all processes exist, which are then in MPI_Init; repeatable",
	  OPTION_OWN, .set = set_kill_at, .commands = FOR_RUN, .record = "killed_from_outside" },
	{ "node-size", "N", "N consecutive ranks count as a node (default: ranks of one host)",
	  OPTION_INT, AT(node_size), .least = 1, .most = NP_MAX, .standard = "0",
	  .commands = FOR_PLAN, .key = "node_size", .part = PART_NODES, .shape = SHAPE_KEY },
	{ "strategy", "HOW",
	  "repair: the job goes on. restart: the job dies and is started again from the last "
	  "complete checkpoint",
	  OPTION_WORD, AT(strategy), .word = strategy_word, .standard = "repair",
	  .commands = FOR_PLAN, .key = "strategy", .part = PART_CHECKPOINTS, .shape = SHAPE_INNER },
	{ "replace", "HOW",
	  "spare: a spare takes over. spawn: if no spare is left, a new process is started",
	  OPTION_WORD, AT(replace), .word = replace_word, .standard = "spare",
	  .commands = FOR_PLAN | FOR_TORTURE, .key = "replace", .part = PART_REPLACEMENT },
	{ "detector", "HOW",
	  "how survivors learn of a death. host: the processes of a host watch each other, and the "
	  "runtime of the MPI tells them of deaths on other hosts. runtime: it tells them of all "
	  "deaths, some milliseconds later (docs/failures.md)",
	  OPTION_WORD, AT(detector), .word = detector_word, .standard = "host",
	  .commands = FOR_PLAN | FOR_TORTURE, .key = "detector", .part = PART_UNUSUAL,
	  .shape = SHAPE_KEY, .tag = "-detector=" },
	{ "mtbf", "S",
	  "roles die by chance, at exponentially distributed times, S seconds apart on average",
	  OPTION_SECONDS, AT(mtbf_s), .standard = "0", .commands = FOR_RUN, .key = "mtbf_s",
	  .record = "mtbf.seconds", .part = PART_CHANCE },
	{ "seed", "N", "seed of these deaths; the record has them as options of kill", OPTION_LONG,
	  AT(seed), .least = 0, .most = INT64_MAX, .standard = "1", .commands = FOR_RUN,
	  .needs = "mtbf", .key = "seed", .record = "mtbf.seed", .part = PART_CHANCE },
	{ "paired", "N",
	  "run without failures, with blocks of N iterations with and without protection in turn; "
	  "the record has the seconds of each pair (`make bench`)",
	  OPTION_LONG, AT(paired), .least = 1, .most = INT64_MAX, .standard = "0",
	  .commands = FOR_RUN, .key = "paired", .record = "paired.block", .shape = SHAPE_KEY,
	  .tag = "-paired=" },
	{ "control", "HOW",
	  "a negative control, which must end wrong. in-place: a death although the kernel updates "
	  "its state in place (lulesh --buffers single). replay: one message of each replay has "
	  "the payload of another one",
	  OPTION_WORD, AT(control), .word = spec_control, .standard = "none", .commands = FOR_RUN,
	  .key = "control", .part = PART_UNUSUAL, .shape = SHAPE_KEY, .tag = "-control=" },
	{ "deadline", "S", "seconds until the run, with all its jobs, counts as hung",
	  OPTION_SECONDS, AT(deadline_s), .standard = "120", .commands = FOR_RUN | FOR_PROTOCOL,
	  .key = "deadline_s", .part = PART_LIMIT, .shape = SHAPE_KEY },
	{ "repair-deadline", "S",
	  "seconds until a repair that has not closed is escalated: the job is ended and started "
	  "again from the newest checkpoint in files (default: 10, and 1 more for each process "
	  "per core)",
	  OPTION_SECONDS, AT(repair_deadline_s), .standard = "0", .commands = FOR_RUN | FOR_TORTURE,
	  .key = "repair_deadline_s", .part = PART_LIMIT, .shape = SHAPE_KEY },
	{ "escalation", "HOW",
	  "on: as --repair-deadline says. off: a repair that does not close is a hang", OPTION_WORD,
	  AT(escalation), .word = escalation_word, .standard = "on",
	  .commands = FOR_RUN | FOR_TORTURE, .key = "escalation", .part = PART_LIMIT,
	  .shape = SHAPE_KEY },
	{ "no-escalation", NULL, "the same as --escalation off", OPTION_WORD, AT(escalation),
	  .word = escalation_word, .given = "off", .commands = FOR_RUN | FOR_TORTURE },
	{ "hostfile", "FILE",
	  "hosts to run on, one per line as `HOST [slots=N]`. Roles are placed in blocks, spares "
	  "apart from each other. All hosts must see the workdir at the same path (docs/cluster.md)",
	  OPTION_OWN, .set = set_hostfile, .record = "hosts",
	  .commands = FOR_PLAN | FOR_HOSTS | FOR_PROTOCOL },
	{ "spare-hosts", "N", "the last N hosts have all the spares and no roles (default 0)",
	  OPTION_OWN, .set = set_spare_hosts, .commands = FOR_PLAN | FOR_HOSTS },
	{ .name = NULL },
};

void spec_options(const struct kernel_ops *kernel, struct option out[OPTIONS_MAX])
{
	int count = 0;

	for (const struct kernel_option *k = kernel->options; k->name; k++, count++)
		out[count] = (struct option){
			.name = k->name,
			.value = "VALUE",
			.help = k->help,
			.type = OPTION_TEXT,
			.at = offsetof(struct run_spec, value) + (size_t)count * SPEC_TEXT,
			.most = SPEC_TEXT,
			.standard = k->value,
			.of_kernel = true,
			.commands = FOR_PLAN | FOR_PROFILE,
			.key = k->name,
			.part = PART_KERNEL,
			.shape = SHAPE_KEY,
		};
	memcpy(out + count, spec_table, sizeof spec_table);
}

void spec_init(struct run_spec *spec, const struct kernel_ops *kernel)
{
	struct option o[OPTIONS_MAX];
	struct rb_error none;

	memset(spec, 0, sizeof *spec);
	spec->kernel = kernel;
	spec->spares = SPARES_BY_PLAN;
	spec_options(kernel, o);
	for (int i = 0; o[i].name; i++)
		if (o[i].standard && !option_is_none(&o[i]))
			option_set(&o[i], spec, o[i].standard, &none);
}

int spec_unknown(const struct kernel_ops *kernel, const char *name, struct rb_error *err)
{
	char known[128] = "";
	size_t used = 0;

	for (int i = 0; kernel->options[i].name && used < sizeof known; i++)
		used += (size_t)snprintf(known + used, sizeof known - used, " --%s",
					 kernel->options[i].name);
	return rb_fail(err, RB_EINVAL,
		       "--%s: unknown option; kernel %s has%s (see --help for the others)", name,
		       kernel->name, known);
}

int spec_set(struct run_spec *spec, const char *name, const char *value, struct rb_error *err)
{
	struct option options[OPTIONS_MAX];
	const struct option *row;

	spec_options(spec->kernel, options);
	row = option_find(options, name);
	return row ? option_set(row, spec, value, err) : spec_unknown(spec->kernel, name, err);
}

/* Has the kernel's option a place in the name? */
static bool is_named(const struct option *o, const struct run_spec *spec)
{
	const char *const *tacit = spec->kernel->tacit;

	while (tacit && *tacit && strcmp(o->name, *tacit) != 0)
		tacit++;
	return !tacit || !*tacit || !option_is_standard(o, spec);
}

size_t spec_name(const struct run_spec *spec, bool problem, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%s", spec->kernel->name);
	struct option o[OPTIONS_MAX];
	char value[SPEC_TEXT];

	spec_options(spec->kernel, o);
	for (int i = 0; o[i].name && used < size; i++) {
		option_get(&o[i], spec, value, sizeof value);
		if (o[i].of_kernel && is_named(&o[i], spec))
			used += (size_t)snprintf(out + used, size - used, "-%s=%s", o[i].name,
						 value);
		else if (!o[i].of_kernel && o[i].tag &&
			 (o[i].always || !option_is_standard(&o[i], spec)))
			used += (size_t)snprintf(out + used, size - used, "%s%s", o[i].tag,
						 o[i].at == offsetof(struct run_spec, policy)
							 ? spec_recovery(spec)
							 : value);
		if (problem && o[i].at == offsetof(struct run_spec, np))
			break;
	}
	for (size_t i = 0; i < used && i < size; i++)
		out[i] = out[i] == '/' ? '_' : out[i];
	return used;
}

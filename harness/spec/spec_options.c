#include "harness/spec/spec_options.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_spec[] =
	"  --np N            roles, that is ranks that compute (default 4)\n"
	"  --spares N        ranks that wait to replace dead ones (default: as many as planned\n"
	"                    kills can cost; 4 with --mtbf)\n"
	"  --strategy HOW    repair (default): the job goes on; restart: it dies and is started again\n"
	"                    from the last complete checkpoint\n"
	"  --replace HOW     spare (default), or spawn: start a process when no spare is left\n"
	"  --policy NAME     which messages are logged: `rollbench list policies` (default none)\n"
	"  --interval N      iterations between two checkpoints (default 25)\n"
	"  --ckpt LEVELS     where checkpoints are kept, for instance file,buddy (default file):\n"
	"                    file: a file for each role; buddy[:COPIES]: in the memory of 1 or 2 other\n"
	"                    roles, on other hosts if there are any; rs:K+M: Reed-Solomon parity\n"
	"                    in groups of K+M roles, which survives M deaths in each\n"
	"  --ckpt-lag WHEN   when a checkpoint counts: async (default): as soon as all have it, while\n"
	"                    iterations go on; N: N iterations after it was taken; sync: all wait for it\n"
	"  --ckpt-sync       the same as --ckpt-lag sync\n"
	"  --power HOW       what blocked roles do while others catch up: none (default): wait in MPI,\n"
	"                    spinning; sleep: wait at the front without spinning; dvfs, cm, dvfs+cm:\n"
	"                    spin there with the core at its lowest frequency, with its clock gated, or\n"
	"                    both, which takes privileges and a core for each role (docs/energy.md)\n"
	"  --meters DETAIL   CPU time, cycles, instructions and energy: of phases (default), or of each\n"
	"                    of the iterations (the record has a trace then), or off\n"
	"  --kill R@I[:PH]   SIGKILL role R in iteration I (from 0) at phase PH (default start);\n"
	"                    repeatable; `rollbench list phases`. spareN@I: a spare; nodeN@I: all\n"
	"                    processes of a node; hostN@I: its MPI daemon, too; R@I:PH#2: when the\n"
	"                    point is reached again\n"
	"  --kill-node N@I[:PH]  the same as --kill nodeN@I[:PH]\n"
	"  --node-size N     N consecutive ranks count as a node (default: ranks of one host)\n"
	"  --hostfile FILE   hosts to run on, one a line, `HOST [slots=N]`: roles in blocks, spares apart\n"
	"                    from each other; the workdir must be seen by all (docs/cluster.md)\n"
	"  --spare-hosts N   the last N of them have all the spares and no roles (default 0)\n";

void spec_options_help(const char *usage, const char *own)
{
	printf("%s%s%s\nkernels and their options:\n", usage, usage_spec, own);
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++) {
		printf("  %-10s %s\n", (*k)->name, (*k)->summary);
		for (const struct kernel_option *o = (*k)->options; o->name; o++)
			printf("    --%-9s %s (default %s)\n", o->name, o->help, o->value);
	}
}

static int expect_kernel(const char *name, struct rb_error *err)
{
	char known[128] = "";
	size_t used = 0;

	for (const struct kernel_ops *const *k = kernel_registry; *k && used < sizeof known; k++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
					 (*k)->name);
	return rb_fail(err, RB_EINVAL, "%s%sexpected a kernel first: %s", name ? name : "",
		       name ? ": unknown kernel: " : "", known);
}

int spec_options_begin(struct spec_options *s, struct run_spec *spec, struct options *o,
		       struct rb_error *err)
{
	const char *name = o->argc > 1 ? o->argv[1] : NULL;
	const struct kernel_ops *kernel = name ? kernel_find(name) : NULL;

	if (!kernel)
		return expect_kernel(name, err);
	s->spec = spec;
	s->kills = 0;
	spec_init(spec, kernel);
	o->at = 2;
	return RB_OK;
}

static int add_kill(struct spec_options *s, const char *prefix, const char *value,
		    struct rb_error *err)
{
	if (s->kills == INJECT_MAX_KILLS)
		return rb_fail(err, RB_EINVAL, "--kill: at most %d kills a run", INJECT_MAX_KILLS);
	if (snprintf(s->kill[s->kills], KILL_TEXT, "%s%s", prefix, value) >= KILL_TEXT)
		return rb_fail(err, RB_EINVAL, "--kill %.40s...: the text is too long", value);
	s->kills++;
	return RB_OK;
}

static int take_short(const char *name, const char *value, char *out, size_t size, struct rb_error *err)
{
	if (strlen(value) >= size)
		return rb_fail(err, RB_EINVAL, "--%s: the text is too long", name);
	memcpy(out, value, strlen(value) + 1);
	return RB_OK;
}

static struct hosts hosts; /* a process has one cluster */

int spec_options_hosts(struct options *o, const struct hosts **out, struct rb_error *err)
{
	const char *path = NULL;
	int64_t n;

	if (strcmp(o->name, "hostfile") == 0) {
		RB_TRY(options_value(o, &path, err));
		RB_TRY(hosts_load(&hosts, path, err));
	} else if (strcmp(o->name, "spare-hosts") == 0) {
		RB_TRY(options_int(o, 0, HOSTS_MAX, &n, err));
		hosts.spare_hosts = (int)n;
	} else {
		return 1;
	}
	*out = &hosts;
	return RB_OK;
}

static int take_text(struct spec_options *s, struct options *o, struct rb_error *err)
{
	const char *value = NULL;

	RB_TRY(options_value(o, &value, err));
	if (strcmp(o->name, "kill") == 0)
		return add_kill(s, "", value, err);
	if (strcmp(o->name, "kill-node") == 0)
		return add_kill(s, "node", value, err);
	if (strcmp(o->name, "strategy") == 0)
		return spec_set_strategy(s->spec, value, err);
	if (strcmp(o->name, "replace") == 0)
		return spec_set_replace(s->spec, value, err);
	if (strcmp(o->name, "power") == 0)
		return spec_set_power(s->spec, value, err);
	if (strcmp(o->name, "meters") == 0)
		return spec_set_meters(s->spec, value, err);
	if (strcmp(o->name, "ckpt-lag") == 0)
		return spec_set_lag(s->spec, value, err);
	if (strcmp(o->name, "ckpt") == 0)
		return take_short(o->name, value, s->spec->ckpt, sizeof s->spec->ckpt, err);
	if (strcmp(o->name, "policy") == 0)
		return take_short(o->name, value, s->spec->policy, sizeof s->spec->policy, err);
	return spec_set_option(s->spec, o->name, value, err);
}

int spec_options_take(struct spec_options *s, struct options *o, struct rb_error *err)
{
	struct run_spec *spec = s->spec;
	const struct {
		const char *name;
		int64_t least, most;
		int *small;
		int64_t *large;
	} numbers[] = {
		{ "np", 1, 1 << 20, &spec->np, NULL },
		{ "spares", 0, 1 << 20, &spec->spares, NULL },
		{ "node-size", 1, 1 << 20, &spec->node_size, NULL },
		{ "interval", 1, INT64_MAX, NULL, &spec->interval },
	};
	int64_t n;
	int rc;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (strcmp(o->name, numbers[i].name) != 0)
			continue;
		RB_TRY(options_int(o, numbers[i].least, numbers[i].most, &n, err));
		if (numbers[i].small)
			*numbers[i].small = (int)n;
		else
			*numbers[i].large = n;
		spec->spares_given = spec->spares_given || numbers[i].small == &spec->spares;
		return RB_OK;
	}
	if (strcmp(o->name, "ckpt-sync") == 0)
		return spec_set_lag(spec, "sync", err);
	rc = spec_options_hosts(o, &spec->hosts, err);
	return rc == 1 ? take_text(s, o, err) : rc;
}

int spec_options_end(struct spec_options *s, struct rb_error *err)
{
	for (int i = 0; i < s->kills; i++)
		RB_TRY(inject_parse(&s->spec->plan, s->kill[i], s->spec->np, err));
	return RB_OK;
}

int spec_options_parse(struct spec_options *s, struct run_spec *spec, int argc, char **argv,
		       spec_taker *take, void *request, struct rb_error *err)
{
	struct options o = { argc, argv, 1, "", NULL };

	if (options_help(argc, argv))
		return 1;
	RB_TRY(spec_options_begin(s, spec, &o, err));
	while (options_next(&o)) {
		if (!o.name[0])
			return rb_fail(err, RB_EINVAL, "%s: unexpected argument", o.value);
		RB_TRY(take(s, &o, request, err));
	}
	return RB_OK;
}

static void append(char out[COMMAND_TEXT], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void append(char out[COMMAND_TEXT], const char *fmt, ...)
{
	size_t used = strlen(out);
	va_list args;

	va_start(args, fmt);
	vsnprintf(out + used, COMMAND_TEXT - used, fmt, args);
	va_end(args);
}

void spec_command(const struct run_spec *spec, char out[COMMAND_TEXT])
{
	char kill[INJECT_TEXT], lag[SPEC_TEXT];

	out[0] = '\0';
	append(out, "./rollbench run %s", spec->kernel->name);
	for (int i = 0; spec->kernel->options[i].name; i++)
		if (strcmp(spec->value[i], spec->kernel->options[i].value) != 0)
			append(out, " --%s %s", spec->kernel->options[i].name, spec->value[i]);
	append(out, " --np %d --spares %d --policy %s --interval %" PRId64, spec->np, spec->spares,
	       spec->policy, spec->interval);
	if (strcmp(spec->ckpt, "file") != 0)
		append(out, " --ckpt %s", spec->ckpt);
	spec_lag(spec, lag);
	if (spec->lag >= 0)
		append(out, " --ckpt-lag %s", lag);
	if (spec->power != POWER_NONE)
		append(out, " --power %s", spec_power(spec));
	if (spec->meters != METERS_PHASES)
		append(out, " --meters %s", metering_name(spec->meters));
	if (spec->node_size > 0)
		append(out, " --node-size %d", spec->node_size);
	if (spec->strategy != FT_GO_ON)
		append(out, " --strategy %s", spec_strategy(spec));
	if (spec->replace != FT_SPARE)
		append(out, " --replace %s", spec_replace(spec));
	if (spec->mtbf_s > 0)
		append(out, " --mtbf %.17g --seed %" PRIu64, spec->mtbf_s, spec->seed);
	for (size_t k = 0; k < spec->plan.count; k++) {
		inject_format(&spec->plan.kill[k], kill, sizeof kill);
		append(out, " --kill %s%s%s", strchr(kill, '#') ? "'" : "", kill,
		       strchr(kill, '#') ? "'" : "");
	}
}

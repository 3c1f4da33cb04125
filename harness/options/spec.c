#include "harness/options/spec.h"

#include "base/status.h"
#include "harness/options/spec_options.h"

#include <stdio.h>
#include <string.h>

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

struct kernel_args spec_args(const struct run_spec *spec)
{
	struct kernel_args args = { { NULL } };

	for (int i = 0; spec->kernel->options[i].name; i++)
		args.value[i] = spec->value[i];
	return args;
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

bool spec_goes_on(const struct run_spec *spec)
{
	return spec->strategy == FT_GO_ON && strcmp(spec->policy, policy_off.name) != 0;
}

const char *spec_recovery(const struct run_spec *spec)
{
	return spec->strategy == FT_RESTART ? "restart" : spec->policy;
}

int spec_node(const struct run_spec *spec, int rank)
{
	if (spec->node_size > 0)
		return rank / spec->node_size;
	return spec->hosts ? hosts_node(spec->hosts, spec->np, rank) : 0;
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

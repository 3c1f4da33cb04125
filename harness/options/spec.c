#include "harness/options/spec.h"

#include <string.h>

struct kernel_args spec_args(const struct run_spec *spec)
{
	struct kernel_args args = { { NULL } };

	for (int i = 0; spec->kernel->options[i].name; i++)
		args.value[i] = spec->value[i];
	return args;
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

const char *spec_recompute(int how)
{
	static const char *const words[] = {
		[FT_ROLLBACK] = "rollback", [FT_DATAFLOW] = "dataflow", [FT_FLAT] = "dataflow:flat"
	};

	return how <= FT_FLAT ? words[how] : NULL;
}

enum ft_recompute spec_recompute_of(const char *word)
{
	int how = FT_ROLLBACK;

	while (spec_recompute(how) && strcmp(spec_recompute(how), word) != 0)
		how++;
	return spec_recompute(how) ? (enum ft_recompute)how : FT_ROLLBACK;
}

const char *spec_control(int i)
{
	static const char *const words[] = { [CONTROL_NONE] = "none",
					     [CONTROL_IN_PLACE] = "in-place",
					     [CONTROL_REPLAY] = "replay" };

	return i <= CONTROL_REPLAY ? words[i] : NULL;
}

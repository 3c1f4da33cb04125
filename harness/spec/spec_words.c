/* Those parts of a run's description that are words. */
#include "base/status.h"
#include "base/text.h"
#include "harness/spec/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const strategies[] = { [FT_GO_ON] = "repair", [FT_RESTART] = "restart" };
static const char *const replacements[] = { [FT_SPARE] = "spare", [FT_SPAWN] = "spawn" };

/* One of `count` words; -1: none of them, and err says which there are. */
static int choose(const char *option, const char *const *words, int count, const char *text,
		  struct rb_error *err)
{
	char known[64] = "";

	for (int i = 0; i < count; i++) {
		size_t used = strlen(known);

		if (strcmp(text, words[i]) == 0)
			return i;
		snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" :
			 i == count - 1 ? " or " : ", ", words[i]);
	}
	rb_fail(err, RB_EINVAL, "--%s %s: expected %s", option, text, known);
	return -1;
}

int spec_set_strategy(struct run_spec *spec, const char *text, struct rb_error *err)
{
	int i = choose("strategy", strategies, FT_RESTART + 1, text, err);

	if (i >= 0)
		spec->strategy = (enum ft_strategy)i;
	return i < 0 ? RB_EINVAL : RB_OK;
}

const char *spec_strategy(const struct run_spec *spec)
{
	return strategies[spec->strategy];
}

const char *spec_recovery(const struct run_spec *spec)
{
	return spec->strategy == FT_RESTART ? spec_strategy(spec) : spec->policy;
}

int spec_set_replace(struct run_spec *spec, const char *text, struct rb_error *err)
{
	int i = choose("replace", replacements, FT_SPAWN + 1, text, err);

	if (i >= 0)
		spec->replace = (enum ft_replace)i;
	return i < 0 ? RB_EINVAL : RB_OK;
}

const char *spec_replace(const struct run_spec *spec)
{
	return replacements[spec->replace];
}

int spec_set_power(struct run_spec *spec, const char *text, struct rb_error *err)
{
	const char *names[POWER_TECHNIQUES];
	int i;

	for (i = 0; i < POWER_TECHNIQUES; i++)
		names[i] = power_name((enum power_technique)i);
	i = choose("power", names, POWER_TECHNIQUES, text, err);
	if (i >= 0)
		spec->power = (enum power_technique)i;
	return i < 0 ? RB_EINVAL : RB_OK;
}

int spec_set_meters(struct run_spec *spec, const char *text, struct rb_error *err)
{
	const char *names[METERS_DETAILS];
	int i;

	for (i = 0; i < METERS_DETAILS; i++)
		names[i] = metering_name((enum metering_detail)i);
	i = choose("meters", names, METERS_DETAILS, text, err);
	if (i >= 0)
		spec->meters = (enum metering_detail)i;
	return i < 0 ? RB_EINVAL : RB_OK;
}

const char *spec_power(const struct run_spec *spec)
{
	return power_name(spec->power);
}

int spec_set_lag(struct run_spec *spec, const char *text, struct rb_error *err)
{
	if (strcmp(text, "async") == 0)
		spec->lag = -1;
	else if (strcmp(text, "sync") == 0)
		spec->lag = 0;
	else if (!text_integer(text, 0, INT32_MAX, &spec->lag))
		return rb_fail(err, RB_EINVAL, "--ckpt-lag %s: expected async, sync or a number of "
			       "iterations", text);
	return RB_OK;
}

void spec_lag(const struct run_spec *spec, char out[SPEC_TEXT])
{
	if (spec->lag <= 0)
		snprintf(out, SPEC_TEXT, "%s", spec->lag < 0 ? "async" : "sync");
	else
		snprintf(out, SPEC_TEXT, "%" PRId64, spec->lag);
}

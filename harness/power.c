#include "harness/power.h"

#include "base/status.h"

#include <stdio.h>

static const char *const names[POWER_TECHNIQUES] = {
	[POWER_NONE] = "none", [POWER_SLEEP] = "sleep",     [POWER_DVFS] = "dvfs",
	[POWER_CM] = "cm",     [POWER_DVFS_CM] = "dvfs+cm",
};

const char *power_name(enum power_technique technique)
{
	return names[technique];
}

bool power_sets_core(enum power_technique technique)
{
	return technique >= POWER_DVFS;
}

bool power_probe(enum power_technique technique, int cpu, char text[POWER_TEXT])
{
	(void)cpu;
	snprintf(text, POWER_TEXT, "%s", power_sets_core(technique) ? "not there yet" : "needs nothing");
	return !power_sets_core(technique);
}

int power_open(enum power_technique technique, struct power **out, struct rb_error *err)
{
	char text[POWER_TEXT];

	*out = NULL;
	if (power_probe(technique, 0, text))
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "--power %s: %s", power_name(technique), text);
}

void power_reduce(void *power, bool on)
{
	(void)power;
	(void)on;
}

const char *power_trouble(const struct power *power)
{
	(void)power;
	return "";
}

void power_close(struct power *power)
{
	(void)power;
}

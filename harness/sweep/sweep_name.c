/* What runs are called. A name is part of records that are there already: it must not change. */
#include "base/status.h"
#include "harness/sweep/sweep_plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is not the default: "-ckpt=file,buddy-lag=sync-meters=off", or nothing. */
static void name_unusual(const struct run_spec *s, char *out, size_t size)
{
	struct run_spec usual;
	char lag[SPEC_TEXT];
	size_t used = 0;

	spec_init(&usual, s->kernel);
	spec_lag(s, lag);
	out[0] = '\0';
	if (strcmp(s->ckpt, usual.ckpt) != 0)
		used = (size_t)snprintf(out, size, "-ckpt=%s", s->ckpt);
	if (s->lag != usual.lag)
		used += (size_t)snprintf(out + used, size - used, "-lag=%s", lag);
	if (s->meters != usual.meters)
		snprintf(out + used, size - used, "-meters=%s", metering_name(s->meters));
}

int sweep_plan_repetition(const char *id)
{
	const char *at = strrchr(id, '-');
	char *end;
	long number;

	if (!at || at[1] != 'r' || !isdigit((unsigned char)at[2]))
		return -1;
	number = strtol(at + 2, &end, 10);
	return *end || number > SWEEP_RUNS_MAX ? -1 : (int)number;
}

bool sweep_plan_is_warm_up(const char *id, json_int_t warm_up)
{
	int repetition = sweep_plan_repetition(id);

	return repetition >= 0 && repetition < warm_up;
}

/* "cg-class=S-np8-s1-all-i25-3@13.start-r0": unique, and readable in a folder listing. */
int sweep_plan_name(struct sweep_run *run, int repetition, struct rb_error *err)
{
	const struct run_spec *s = &run->spec;
	bool saves = s->power != POWER_NONE;
	char kill[SPEC_TEXT] = "free", unusual[LEVELS_TEXT + SPEC_TEXT + 48];
	size_t used;

	used = (size_t)snprintf(run->id, sizeof run->id, "%s", s->kernel->name);
	for (int i = 0; s->kernel->options[i].name && used < sizeof run->id; i++)
		used += (size_t)snprintf(run->id + used, sizeof run->id - used, "-%s=%s",
					 s->kernel->options[i].name, s->value[i]);
	if (s->plan.count > 0)
		inject_format(&s->plan.kill[0], kill, sizeof kill);
	for (char *c = kill; *c; c++)
		*c = *c == ':' ? '.' : *c;
	name_unusual(s, unusual, sizeof unusual);
	if (used < sizeof run->id)
		used += (size_t)snprintf(run->id + used, sizeof run->id - used,
					 "-np%d-s%d-%s%s%s-i%" PRId64 "%s-%s-r%d", s->np, s->spares,
					 spec_recovery(s), saves ? "-" : "", saves ? spec_power(s) : "",
					 s->interval, unusual, kill, repetition);
	/* Cut off, it might be another run's name, too. */
	if (used >= sizeof run->id)
		return rb_fail(err, RB_EINVAL, "%.60s...: the names of records would be too long",
			       run->id);
	for (char *c = run->id; *c; c++)
		*c = *c == '/' ? '_' : *c;
	return RB_OK;
}

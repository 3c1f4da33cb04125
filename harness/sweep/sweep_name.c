/* What runs are called. A name is part of records that are there already: it must not change. */
#include "base/status.h"
#include "harness/sweep/sweep_plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	char kill[INJECT_TEXT] = "free";
	size_t used = spec_name(s, false, run->id, sizeof run->id);

	if (s->plan.count > 0)
		inject_format(&s->plan.kill[0], kill, sizeof kill);
	for (char *c = kill; *c; c++)
		*c = *c == ':' ? '.' : *c;
	if (used < sizeof run->id)
		used += (size_t)snprintf(run->id + used, sizeof run->id - used, "-%s-r%d", kill, repetition);
	/* Cut off, it might be another run's name, too. */
	if (used >= sizeof run->id)
		return rb_fail(err, RB_EINVAL, "%.60s...: the names of records would be too long",
			       run->id);
	return RB_OK;
}

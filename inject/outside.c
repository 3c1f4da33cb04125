#include "inject/outside.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LATEST_S = 1e6;

/* Accept digits with or without a point: no sign, no blank, no exponent. */
static bool parse_seconds(const char **at, double *seconds)
{
	size_t length = strspn(*at, "0123456789.");
	char *end;

	if (length == 0 || (*at)[length] != ':')
		return false;
	*seconds = round(1e6 * strtod(*at, &end)) / 1e6;
	if (end != *at + length || *seconds > LATEST_S)
		return false;
	*at = end;
	return true;
}

static bool is_before(const struct outside_kill *a, const struct outside_kill *b)
{
	return a->startup == b->startup ? a->at_s < b->at_s : a->startup;
}

static void insert(struct outside_plan *plan, const struct outside_kill *kill)
{
	size_t i = plan->count++;

	for (; i > 0 && is_before(kill, &plan->kill[i - 1]); i--)
		plan->kill[i] = plan->kill[i - 1];
	plan->kill[i] = *kill;
}

int outside_parse(struct outside_plan *plan, const char *text, struct rb_error *err)
{
	const bool startup = strncmp(text, OUTSIDE_STARTUP, sizeof OUTSIDE_STARTUP - 1) == 0;
	struct outside_kill kill = { .startup = startup };
	const char *at = text + (startup ? sizeof OUTSIDE_STARTUP - 1 : 0);

	if (plan->count == OUTSIDE_MAX)
		return rb_fail(err, RB_EINVAL, "--kill-at %.60s: at most %d such kills a run", text,
			       OUTSIDE_MAX);
	if (!parse_seconds(&at, &kill.at_s) || *at++ != ':' ||
	    !inject_parse_who(&at, &kill.who, &kill.number) || *at)
		return rb_fail(
			err, RB_EINVAL,
			"--kill-at %.60s: expected SECONDS:WHO, for instance 0.25:3, 1.5:spare0 or "
			"start+0.1:3",
			text);
	if (kill.who > INJECT_SPARE)
		return rb_fail(
			err, RB_EINVAL,
			"--kill-at %.60s: only a role or a spare is killed by the clock; for nodes "
			"and hosts there is --kill",
			text);
	insert(plan, &kill);
	return RB_OK;
}

void outside_format(const struct outside_kill *kill, char *out, size_t size)
{
	snprintf(out, size, "%s%.6f:%s%d", kill->startup ? OUTSIDE_STARTUP : "", kill->at_s,
		 inject_who_prefix(kill->who), kill->number);
}

/* Methods by name: which messages are kept, and how the others come back. */
#include "base/status.h"
#include "forecast/simulate/simulation.h"
#include "forecast/forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *means;
} known[] = {
	{ "global", "none" },
	{ "local", "all" },
	{ "dataflow", "none+dataflow" },
	{ "flat", "none+dataflow:flat" },
};

/* "budget:40%" in bytes. */
static int in_bytes(const struct simulation *s, const char *policy, char out[SIMULATION_TEXT],
		    struct rb_error *err)
{
	const struct forecast_run run = { .pattern = s->pattern,
					  .schedule = { s->interval, s->ckpt_first },
					  .iterations = s->steps };
	struct forecast_share share;
	int64_t peak;

	snprintf(out, SIMULATION_TEXT, "%s", policy);
	RB_TRY(forecast_share_parse(&share, "--method", policy, err));
	if (share.percent <= 0)
		return RB_OK;
	RB_TRY(forecast_share_peak(&share, run, &peak, err));
	forecast_share_policy(&share, peak, out, SIMULATION_TEXT);
	return RB_OK;
}

static int add(struct simulation *s, const char *name, struct rb_error *err)
{
	struct method *m = &s->method[s->count];
	char means[SIMULATION_TEXT], policy[SIMULATION_TEXT], *how;

	if (s->count == SIMULATION_METHODS)
		return rb_fail(err, RB_EINVAL, "--method: at most %d methods", SIMULATION_METHODS);
	if (snprintf(m->name, sizeof m->name, "%s", name) >= (int)sizeof m->name)
		return rb_fail(err, RB_EINVAL, "--method %.40s...: the name is too long", name);
	snprintf(means, sizeof means, "%s", name);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i].name) == 0)
			snprintf(means, sizeof means, "%s", known[i].means);
	how = strchr(means, '+');
	if (how)
		*how++ = '\0';
	m->recompute = !how ? FT_ROLLBACK : strcmp(how, "dataflow") == 0 ? FT_DATAFLOW : FT_FLAT;
	if (m->recompute == FT_FLAT && strcmp(how, "dataflow:flat") != 0)
		return rb_fail(err, RB_EINVAL,
			       "--method %s: expected dataflow or dataflow:flat behind the +",
			       name);
	RB_TRY(in_bytes(s, means, policy, err));
	RB_TRY(policy_parse(&m->policy, policy, err));
	if (m->policy.ops == &policy_off)
		return rb_fail(err, RB_EINVAL,
			       "--method %s: a run without protection does not survive a failure",
			       name);
	s->count++;
	return RB_OK;
}

int simulation_methods(struct simulation *s, const char *list, struct rb_error *err)
{
	char *copy = strdup(list), *next = copy, *word;
	int rc = copy ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

	while (rc == RB_OK && (word = strsep(&next, ",")))
		rc = add(s, word + strspn(word, " "), err);
	free(copy);
	return rc;
}

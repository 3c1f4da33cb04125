#include "inject/plan.h"

#include "base/status.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *help;
	bool counts;
} phases[INJECT_PHASES] = {
	[INJECT_START] = { "start", "before the first operation of the iteration", false },
	[INJECT_SEND] = { "send", "between the first and the second send of the iteration", false },
	[INJECT_COMMIT] = { "commit", "after the last message, before the iteration commits",
			    false },
	[INJECT_CHECKPOINT] = { "checkpoint",
				"while the first checkpoint at or after ITER is being written",
				false },
	[INJECT_RECOVERY] = { "recovery",
			      "has noticed a failure (in ITER - 1 or later) and told no other",
			      false },
	[INJECT_REPAIR] = { "repair", "repair+USEC: USEC microseconds after its repair began",
			    true },
	[INJECT_RESTORE] = { "restore", "rolling back, before its state is loaded", false },
	[INJECT_REPLAY] = { "replay",
			    "half of the messages that it replays from its log are posted", false },
	[INJECT_SUPPORT] = { "support",
			     "with --recompute dataflow: before the first iteration that it "
			     "recomputes for others",
			     false },
	[INJECT_BLOCKED] = { "blocked",
			     "with --power: waits at the front until others have caught up",
			     false },
	[INJECT_OPERATION] = { "op", "op+N: at the Nth send or wait of the iteration, from 1",
			       true },
};

static const char *const prefix[] = {
	[INJECT_ROLE] = "", [INJECT_SPARE] = "spare", [INJECT_NODE] = "node", [INJECT_HOST] = "host"
};

const char *inject_phase_name(enum inject_phase phase)
{
	return phases[phase].name;
}

const char *inject_phase_help(enum inject_phase phase)
{
	return phases[phase].help;
}

bool inject_phase_in_iteration(enum inject_phase phase)
{
	return phase <= INJECT_CHECKPOINT;
}

const char *inject_who_prefix(enum inject_who who)
{
	return prefix[who];
}

bool inject_parse_who(const char **at, enum inject_who *who, int *number)
{
	int64_t value;

	*who = INJECT_ROLE;
	for (int w = INJECT_SPARE; w <= INJECT_HOST; w++)
		if (strncmp(*at, prefix[w], strlen(prefix[w])) == 0) {
			*who = (enum inject_who)w;
			*at += strlen(prefix[w]);
		}
	if (!text_digits(at, &value) || value > INT32_MAX)
		return false;
	*number = (int)value;
	return true;
}

bool inject_phase_find(const char *name, size_t length, enum inject_phase *phase)
{
	for (int i = 0; i < INJECT_PHASES; i++) {
		if (strlen(phases[i].name) != length || strncmp(name, phases[i].name, length) != 0)
			continue;
		*phase = (enum inject_phase)i;
		return true;
	}
	return false;
}

static bool parse_phase(const char **at, struct inject_kill *kill)
{
	size_t length = strcspn(*at, "+#");

	if (!inject_phase_find(*at, length, &kill->phase))
		return false;
	*at += length;
	if (!phases[kill->phase].counts)
		return **at != '+';
	return *(*at)++ == '+' && text_digits(at, &kill->amount);
}

static bool parse_nth(const char **at, struct inject_kill *kill)
{
	int64_t nth;

	++*at;
	if (!text_digits(at, &nth) || nth < 1 || nth > 1000)
		return false;
	kill->nth = (int)nth;
	return true;
}

/* A spare computes nothing, so it can only die while it waits or in a recovery. */
static bool phase_possible(const struct inject_kill *kill)
{
	return kill->who != INJECT_SPARE || kill->phase == INJECT_START ||
	       kill->phase == INJECT_RECOVERY || kill->phase == INJECT_REPAIR;
}

int inject_parse(struct inject_plan *plan, const char *text, int np, struct rb_error *err)
{
	struct inject_kill kill = { .phase = INJECT_START, .nth = 1 };
	const char *at = text;

	if (plan->count == INJECT_MAX_KILLS)
		return rb_fail(err, RB_EINVAL, "--kill %s: at most %d kills a run", text,
			       INJECT_MAX_KILLS);
	if (!inject_parse_who(&at, &kill.who, &kill.number) || *at++ != '@' ||
	    !text_digits(&at, &kill.iter))
		return rb_fail(err, RB_EINVAL,
			       "--kill %s: expected WHO@ITER[:PHASE], for instance 3@13:send, "
			       "spare0@5, node1@13 or host1@13",
			       text);
	if (*at == ':' && (at++, !parse_phase(&at, &kill)))
		return rb_fail(
			err, RB_EINVAL,
			"--kill %s: unknown phase, or one without its number; `rollbench list "
			"phases` shows them",
			text);
	if ((*at == '#' && !parse_nth(&at, &kill)) || *at)
		return rb_fail(err, RB_EINVAL,
			       "--kill %s: '%s' is too much; expected "
			       "WHO@ITER[:PHASE][#NTH]",
			       text, at);
	if (kill.who == INJECT_ROLE && kill.number >= np)
		return rb_fail(
			err, RB_EINVAL,
			"--kill %s: role %d does not exist; with --np %d the roles are 0..%d", text,
			kill.number, np, np - 1);
	if (!phase_possible(&kill))
		return rb_fail(err, RB_EINVAL,
			       "--kill %s: a spare can die at start, recovery and "
			       "repair+USEC only",
			       text);
	plan->kill[plan->count++] = kill;
	return RB_OK;
}

void inject_format(const struct inject_kill *kill, char *out, size_t size)
{
	int used = snprintf(out, size, "%s%d@%" PRId64 ":%s", prefix[kill->who], kill->number,
			    kill->iter, inject_phase_name(kill->phase));

	if (phases[kill->phase].counts && used < (int)size)
		used += snprintf(out + used, size - (size_t)used, "+%" PRId64, kill->amount);
	if (kill->nth > 1 && used < (int)size)
		snprintf(out + used, size - (size_t)used, "#%d", kill->nth);
}

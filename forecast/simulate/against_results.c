/* The records at a path, and how many of them agree with the simulator. */
#include "base/status.h"
#include "forecast/simulate/against.h"
#include "harness/store/results.h"

#include <stdio.h>
#include <string.h>

enum { REASONS = 64, DIFFERENCES_NAMED = 20 };

/* How many records have this answer for this reason. */
struct reason {
	struct against of;
	size_t count;
};

struct tally {
	size_t records, named;
	size_t count[AGREEMENTS];
	struct reason reason[REASONS];
	size_t reasons;
};

static void enter(struct tally *t, const struct against *a, const char *name)
{
	size_t i = 0;

	t->records++;
	t->count[a->answer]++;
	if (a->answer == DIFFERS) {
		if (t->named++ < DIFFERENCES_NAMED)
			printf("%s: %s\n", name, a->why);
		return;
	}
	while (i < t->reasons &&
	       (t->reason[i].of.answer != a->answer || strcmp(t->reason[i].of.why, a->why) != 0))
		i++;
	if (i == t->reasons && i < REASONS)
		t->reason[t->reasons++] = (struct reason){ *a, 0 };
	if (i < t->reasons)
		t->reason[i].count++;
}

static int enter_record(void *ctx, const char *name, json_t *record, const char *why,
			struct rb_error *err)
{
	struct against a = { LEFT_OUT, "" };

	if (record)
		RB_TRY(against_record(&a, record, err));
	else
		snprintf(a.why, sizeof a.why, "%s", why);
	enter(ctx, &a, name);
	return RB_OK;
}

static void say(const struct tally *t, const char *path)
{
	static const char *const means[] = {
		"agree: same deaths, fronts and checkpoints, sets of roles and counts",
		"agree where the roles were: what the simulator decides there is what the run did",
		"left out", "differ"
	};

	printf("%zu records of %s\n", t->records, path);
	for (int k = 0; k < AGREEMENTS; k++) {
		printf("%8zu %s\n", t->count[k], means[k]);
		for (size_t i = 0; i < t->reasons; i++)
			if ((int)t->reason[i].of.answer == k && t->reason[i].of.why[0])
				printf("%16zu %s\n", t->reason[i].count, t->reason[i].of.why);
	}
	if (t->count[AGREES] + t->count[AGREES_THERE] == 0)
		printf("nothing was compared\n");
}

int simulate_against(const char *path, struct rb_error *err)
{
	static struct tally t;
	int rc = results_each("--against", path, enter_record, &t, err);

	if (rc != RB_OK)
		return rc;
	say(&t, path);
	return t.count[DIFFERS] > 0 || t.count[AGREES] + t.count[AGREES_THERE] == 0;
}

/* The records at a path, and how many of them agree with the simulator. */
#include "base/json.h"
#include "base/status.h"
#include "forecast/simulate/against.h"
#include "harness/store/results.h"

#include <stdio.h>

enum { DIFFERENCES_NAMED = 20 };

struct tally {
	size_t records, named;
	size_t count[AGREEMENTS];
	json_t *reason[AGREEMENTS]; /* of each answer, and how many records have it */
};

static void enter(struct tally *t, const struct against *a, const char *name)
{
	t->records++;
	t->count[a->answer]++;
	if (a->answer != DIFFERS && a->why[0])
		count_in(t->reason[a->answer], a->why);
	else if (a->answer == DIFFERS && t->named++ < DIFFERENCES_NAMED)
		printf("%s: %s\n", name, a->why);
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
		say_counts(t->reason[k], 16, "", stdout);
	}
	if (t->count[AGREES] + t->count[AGREES_THERE] == 0)
		printf("nothing was compared\n");
}

int simulate_against(const char *path, struct rb_error *err)
{
	struct tally t = { .records = 0 };
	int rc;

	for (int k = 0; k < AGREEMENTS; k++)
		t.reason[k] = json_object();
	rc = results_each("--against", path, enter_record, &t, err);
	if (rc == RB_OK)
		say(&t, path);
	for (int k = 0; k < AGREEMENTS; k++)
		json_decref(t.reason[k]);
	return rc != RB_OK ? rc
			   : t.count[DIFFERS] > 0 || t.count[AGREES] + t.count[AGREES_THERE] == 0;
}

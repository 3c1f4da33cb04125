/* The command `rollbench study`, and what it prints for people. */
#include "forecast/study/study.h"

#include "base/status.h"
#include "harness/record/record.h"

#include <stdio.h>

static double number(const json_t *in, const char *key)
{
	return json_number_value(json_object_get(in, key));
}

static const char *text(const json_t *in, const char *key)
{
	return json_string_value(json_object_get(in, key));
}

static void say_coverage(const json_t *list)
{
	const json_t *one;
	size_t i;

	printf("\n%-34s%14s%18s\n", "coverage: bytes within clusters", "with diagonal",
	       "without diagonal");
	json_array_foreach(list, i, one)
		printf("  of %8.0f ranks%17s%13.1f %%%16.1f %%\n", number(one, "cluster"), "",
		       100 * number(one, "with_diagonal"), 100 * number(one, "without_diagonal"));
}

static void say_effort(const json_t *one)
{
	const json_t *truncated = json_object_get(one, "truncated");
	const double error = number(one, "chain_error_percent");
	char theta[16] = "-", chain[48];

	if (json_is_real(json_object_get(one, "theta")))
		snprintf(theta, sizeof theta, "%g %%", number(one, "theta"));
	snprintf(chain, sizeof chain, "%.3f", number(one, "chain_percent"));
	if (error > 0)
		snprintf(chain, sizeof chain, "%.3f +- %.3f", number(one, "chain_percent"), error);
	printf("%-18s%8s%12.3f%12.2f%22s%12.2f%12.1f", text(one, "strategy"), theta,
	       number(one, "set_percent"), number(truncated, "set_percent"), chain,
	       number(truncated, "chain_percent"), number(one, "log_percent"));
	if (json_object_get(one, "channels_unlike_heaviest"))
		printf("   unlike heaviest: %.0f channels, the sets of %.0f victims",
		       number(one, "channels_unlike_heaviest"),
		       number(one, "victims_unlike_heaviest"));
	printf("\n");
}

void study_say(const json_t *record)
{
	const json_t *one;
	size_t i;

	printf("%s: %.0f ranks, %.0f channels, %.4g bytes\n", text(record, "name"),
	       number(record, "np"), number(record, "channels"), number(record, "bytes"));
	if (text(record, "incomplete"))
		printf("incomplete: %s\n", text(record, "incomplete"));
	printf("Gini index of the bytes that a rank sends: %.4f; without the diagonal %.4f\n",
	       number(record, "gini"), number(record, "gini_without_diagonal"));
	say_coverage(json_object_get(record, "coverage"));
	printf("\naverage over all victims, %% of the ranks; truncated: whole ranks, as the paper prints them\n");
	printf("%-18s%8s%12s%12s%22s%12s%12s\n", "strategy", "cap", "set", "truncated", "chain",
	       "truncated", "log, %");
	json_array_foreach(json_object_get(record, "caps"), i, one)
		say_effort(one);
	json_array_foreach(json_object_get(record, "teams"), i, one)
		say_effort(one);
}

/* Study all. New reference: one object, or an array of them, of several files and of records.
 * NULL: one is refused. */
static json_t *study_all(struct study *s, struct rb_error *err)
{
	json_t *all, *first;

	if (s->of_kernel)
		return study_one(s, NULL, err);
	if (s->records)
		return study_records(s, err);
	all = json_array();

	for (int i = 0; i < s->files; i++) {
		json_t *one = study_one(s, s->file[i], err);

		if (!one) {
			json_decref(all);
			return NULL;
		}
		if (text(one, "incomplete"))
			fprintf(stderr, "rollbench study: %s is incomplete: %s\n", s->file[i],
				text(one, "incomplete"));
		json_array_append_new(all, one);
	}
	if (s->files > 1)
		return all;
	first = json_incref(json_array_get(all, 0));
	json_decref(all);
	return first;
}

static void say_all(const json_t *record)
{
	const json_t *one;
	size_t i;

	if (json_is_object(record))
		study_say(record);
	json_array_foreach(record, i, one) {
		printf("%s", i > 0 ? "\n" : "");
		study_say(one);
	}
}

static int study(struct study *s, struct rb_error *err)
{
	const bool alone = record_is_to_stdout(s->json);
	json_t *record;
	int rc;

	if (s->json && !alone)
		RB_TRY(record_probe(s->json, err));
	record = study_all(s, err);
	if (!record)
		return RB_EINVAL;
	if (!alone)
		say_all(record);
	rc = record_deliver(record, s->json, err);
	json_decref(record);
	return rc;
}

int study_main(int argc, char **argv)
{
	static struct study s;
	struct rb_error err = { "out of memory" };
	int rc = study_parse(&s, argc, argv, &err);

	if (rc == RB_OK)
		rc = study(&s, &err);
	if (rc < 0)
		fprintf(stderr, "rollbench study: %s\n", err.text);
	return rc < 0 ? STATUS_USAGE : 0;
}

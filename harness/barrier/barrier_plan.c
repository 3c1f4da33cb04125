/* The plan of the barrier benchmark, and the file by which its ranks learn it. */
#include "harness/barrier/barrier.h"

#include "base/mix.h"
#include "base/status.h"
#include "harness/options/spec.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static int find(const char *name)
{
	for (int t = 0; t < POWER_TECHNIQUES; t++)
		if (strcmp(name, power_name((enum power_technique)t)) == 0)
			return t;
	return -1;
}

static int refuse(const char *list, const char *word, const char *what, struct rb_error *err)
{
	char known[128] = "";

	for (int t = 0; t < POWER_TECHNIQUES; t++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", t ? ", " : "",
			 power_name((enum power_technique)t));
	return rb_fail(err, RB_EINVAL,
		       "--techniques %.100s: '%.40s' %s; there are %s, separated by commas", list,
		       word, what, known);
}

int barrier_set_techniques(struct barrier_plan *p, const char *list, struct rb_error *err)
{
	char copy[256], *at = copy, *word;

	snprintf(copy, sizeof copy, "%s", list);
	p->techniques = 0;
	while ((word = strsep(&at, ","))) {
		int t = find(word);

		if (t < 0)
			return refuse(list, word, "is no technique", err);
		for (int i = 0; i < p->techniques; i++)
			if ((int)p->technique[i] == t)
				return refuse(list, word, "is there twice", err);
		p->technique[p->techniques++] = (enum power_technique)t;
	}
	return RB_OK;
}

static int first_cpu(void)
{
	cpu_set_t set;

	for (int i = 0; sched_getaffinity(0, sizeof set, &set) == 0 && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			return i;
	return 0;
}

bool barrier_absent(const struct barrier_plan *p, enum power_technique t, char why[POWER_TEXT])
{
	if (power_sets_core(t) && p->oversubscribed) {
		snprintf(why, POWER_TEXT,
			 "there are more ranks than cores, and a core set slow would slow another "
			 "rank; remedy: a smaller --np");
		return true;
	}
	if (!power_probe(t, first_cpu(), why))
		return true;
	why[0] = '\0';
	return false;
}

void barrier_sequence(const struct barrier_plan *p, int repetition, int place[POWER_TECHNIQUES])
{
	uint64_t state = mix(p->seed) + (uint64_t)repetition * MIX_STEP * POWER_TECHNIQUES;

	for (int i = 0; i < p->techniques; i++)
		place[i] = i;
	for (int i = p->techniques - 1; i > 0; i--) { /* Fisher and Yates */
		int j = (int)(mix_draw(&state) % (uint64_t)(i + 1)), other = place[j];

		place[j] = place[i];
		place[i] = other;
	}
}

int barrier_phases(const struct barrier_plan *p)
{
	return p->repetitions * (1 + p->techniques);
}

int barrier_phase(const struct barrier_plan *p, int repetition, int place)
{
	return repetition * (1 + p->techniques) + 1 + place;
}

static void plan_path(const char *dir, char out[SPEC_PATH + 16])
{
	snprintf(out, SPEC_PATH + 16, "%s/plan.json", dir);
}

static json_t *techniques_json(const struct barrier_plan *p)
{
	json_t *list = json_array();

	for (int i = 0; i < p->techniques; i++)
		json_array_append_new(list, json_integer((json_int_t)p->technique[i]));
	return list;
}

int barrier_plan_save(const struct barrier_plan *p, const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	json_t *json = json_pack("{s:i, s:f, s:i, s:i, s:I, s:o, s:b, s:b}", "np", p->np, "seconds",
				 p->seconds, "repetitions", p->repetitions, "matrix_order",
				 p->matrix_order, "seed", (json_int_t)p->seed, "techniques",
				 techniques_json(p), "asked", p->asked, "oversubscribed",
				 p->oversubscribed);
	int rc = RB_OK;

	plan_path(dir, path);
	if (json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0)
		rc = rb_fail(err, RB_EIO, "%s: cannot be written: %s", path, strerror(errno));
	json_decref(json);
	return rc;
}

static int from_json(struct barrier_plan *p, json_t *json)
{
	json_t *list, *item;
	int asked, oversubscribed;
	json_int_t seed;
	size_t i;

	if (json_unpack(json, "{s:i, s:F, s:i, s:i, s:I, s:o, s:b, s:b}", "np", &p->np, "seconds",
			&p->seconds, "repetitions", &p->repetitions, "matrix_order",
			&p->matrix_order, "seed", &seed, "techniques", &list, "asked", &asked,
			"oversubscribed", &oversubscribed) != 0 ||
	    json_array_size(list) > POWER_TECHNIQUES)
		return RB_EIO;
	p->seed = (uint64_t)seed;
	p->asked = asked;
	p->oversubscribed = oversubscribed;
	json_array_foreach(list, i, item)
		p->technique[i] = (enum power_technique)json_integer_value(item);
	p->techniques = (int)json_array_size(list);
	return RB_OK;
}

int barrier_plan_load(struct barrier_plan *p, const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	json_t *json;
	int rc;

	plan_path(dir, path);
	json = json_load_file(path, 0, NULL);
	rc = json ? from_json(p, json) : RB_EIO;
	json_decref(json);
	return rc == RB_OK ? rc : rb_fail(err, RB_EIO, "%s: cannot be read", path);
}

/* The entries of an experiment file as runs. */
#include "harness/sweep/sweep_plan.h"

#include "base/grow.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/experiment/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ITERATIONS_MAX = 100000,
	COMBINATIONS_MAX = 4 * SWEEP_RUNS_MAX,
	TEXT = 64,
	KILL = 3 * TEXT,
};

/* A list of the key `kill`, and its present value. */
struct part {
	const char *key;
	const struct yaml_node *list, *item;
};

struct expansion {
	const struct experiment *of;
	const struct kind *const *kinds;
	const struct hosts *hosts;
	struct sweep_plan *plan;
	size_t combinations; /* that were considered so far */
	struct rb_error *err;

	/* the present entry */
	const struct yaml_node *entry; /* NULL: the file itself */
	unsigned number;               /* of the entry, from 0 */
	struct combination now;
	const struct yaml_node *kill;          /* NULL: none */
	struct part roles, iterations, phases; /* of `kill` if it is a mapping */
	const struct yaml_node *refused; /* what a message concerns; NULL: found by its words */
	json_t *used;                    /* values of inner axes that have an effect in a run */
	bool idle, killed;               /* some have none in some run; a kill has an effect */
	bool told;                       /* the message has its line already */

	size_t begin; /* the first run of the present group */
	int plain;    /* the run that others of the group are compared with; -1: none yet */
	int repetition;

	bool orphans;     /* there are groups without a plain run */
	json_t *known;    /* index of the runs in the plan by their names */
	json_t *problems; /* index of a run that others can be compared with, by its problem */
};

/* Refuse what is at a place of the file. */
static int refuse(struct expansion *x, const struct yaml_node *node, const char *what)
{
	x->refused = node;
	return rb_fail(x->err, RB_EINVAL, "%s: %s", yaml_called(node), what);
}

/* --- what concerns keys --- */

static bool is_other(const void *of, const char *key)
{
	(void)of;
	return experiment_has_key(key) || strcmp(key, "kill") == 0;
}

static bool is_inner(const void *of, const char *key)
{
	const struct kind *const *kind = ((const struct expansion *)of)->kinds;

	while (*kind && !(*kind)->is_inner(key))
		kind++;
	return *kind != NULL;
}

static int check_mapping(struct expansion *x, const struct yaml_node *mapping, bool of_entry)
{
	for (const struct yaml_node *n = mapping->first; n; n = n->next) {
		const char *now = experiment_key_now(n->key);

		if (now) {
			x->refused = n;
			return rb_fail(x->err, RB_EINVAL, "%s: it is written as %s now", n->key,
				       now);
		}
		if (of_entry && (experiment_has_key(n->key) || strcmp(n->key, "runs") == 0))
			return refuse(x, n,
				      "expected at the top of the file, not in an entry of runs");
	}
	return RB_OK;
}

/* Values of the kill, none of them twice. */
static int check_values(struct expansion *x, const struct yaml_node *list, const char *name,
			const char *expected)
{
	const struct yaml_node *wrong = yaml_no_value(list);
	int rc;

	if (wrong)
		return refuse(x, wrong, expected);
	rc = points_refuse_twice(x->of->file, list, name, x->err);
	x->told = rc != RB_OK;
	return rc;
}

static int read_part(struct expansion *x, struct part *part, const char *key)
{
	*part = (struct part){ key, yaml_get(x->kill, key), NULL };
	return part->list
		       ? check_values(x, part->list, key, "expected a value or a list of values")
		       : refuse(x, x->kill, "expected the keys roles, iterations and phases in it");
}

static int read_kill(struct expansion *x)
{
	static const char *const keys[] = { "roles", "iterations", "phases", NULL };
	const struct yaml_node *of_entry = x->entry ? yaml_get(x->entry, "kill") : NULL;

	x->kill = of_entry ? of_entry : yaml_get(x->of->file->root, "kill");
	if (!x->kill)
		return RB_OK;
	if (x->kill->kind == YAML_MAPPING) {
		for (const struct yaml_node *n = x->kill->first; n; n = n->next)
			if (!yaml_is_among(n->key, keys))
				return refuse(x, n,
					      "unknown key; docs/experiments.md has them all");
		RB_TRY(read_part(x, &x->roles, keys[0]));
		RB_TRY(read_part(x, &x->iterations, keys[1]));
		return read_part(x, &x->phases, keys[2]);
	}
	return check_values(x, x->kill, "kill",
			    "expected ROLE@ITERATION:PHASE, or the keys roles, iterations and "
			    "phases");
}

/* --- one run --- */

static struct sweep_run *append(struct sweep_plan *plan)
{
	struct sweep_run *run = grow(plan->run, plan->count + 1, &plan->capacity, sizeof *run);

	if (!run)
		return NULL;
	plan->run = run;
	memset(&plan->run[plan->count], 0, sizeof *plan->run);
	return &plan->run[plan->count++];
}

static void note_use(struct expansion *x, const struct yaml_node *item)
{
	char key[32];

	snprintf(key, sizeof key, "%p", (const void *)item);
	json_object_set_new(x->used, key, json_true());
}

static bool is_used(const struct expansion *x, const struct yaml_node *item)
{
	char key[32];

	snprintf(key, sizeof key, "%p", (const void *)item);
	return json_object_get(x->used, key) != NULL;
}

/* What is left out is not told by the run that it is wrong. Once is enough. */
static int check_all(struct expansion *x, const struct yaml_node *options)
{
	struct run *run;
	int rc = RB_OK;

	if (x->repetition > 0)
		return RB_OK;
	rc = run_of_options(&run, x->plan->kind, options, x->err);
	run_free(run);
	return rc;
}

/* Leave out what would change nothing. The nodes of a mapping lie in a row, as the axes do, and the
 * kill lies behind them. *without: the kill was left out. */
static int leave_out_idle(struct expansion *x, struct yaml_node *options, bool *without)
{
	struct yaml_node *all = options->first, **link = &options->first;
	bool idle[POINT_KEYS + 1], any = false;
	int count = 0;

	*without = false;
	for (struct yaml_node *n = all; n; n = n->next, count++) {
		const bool axis = count < x->now.count;

		idle[count] = x->plan->kind->is_idle(options, n->key);
		any = any || idle[count];
		*without = *without || (idle[count] && !axis);
		x->idle = x->idle || (idle[count] && axis);
		x->killed = x->killed || (!idle[count] && !axis);
		if (!idle[count] && axis && x->now.axis[count].inner)
			note_use(x, x->now.axis[count].item);
	}
	if (any)
		RB_TRY(check_all(x, options));
	count = 0;
	for (struct yaml_node *n = all, *next; n; n = next) {
		next = n->next;
		if (idle[count++])
			*link = next;
		else
			link = &n->next;
	}
	return RB_OK;
}

/* The present values, and the kill if it is not NULL. NULL: out of memory. */
static struct yaml_node *options_of(struct expansion *x, const char *kill)
{
	struct yaml_node *options = points_mapping(&x->now), *node;

	if (options && kill) {
		node = yaml_alloc(x->of->file, sizeof *node + strlen(kill) + 1);
		if (!node)
			return NULL;
		*node = (struct yaml_node){ .kind = YAML_SCALAR,
					    .line = x->kill->line,
					    .key = (char *)(uintptr_t)"kill",
					    .text = (char *)(node + 1) };
		strcpy(node->text, kill);
		if (options->last)
			options->last->next = node;
		else
			options->first = node;
		options->last = node;
		options->count++;
	}
	return options;
}

/* Do both runs have the same description? */
static int is_same(struct expansion *x, int i, const struct run *run, bool *same)
{
	json_t *first = NULL, *second = NULL;
	struct run *other;
	int rc = sweep_plan_run(x->plan, (size_t)i, &other, x->err);

	if (rc == RB_OK) {
		first = x->plan->kind->describe(other, x->err);
		second = x->plan->kind->describe(run, x->err);
		rc = first && second ? RB_OK : RB_EINVAL;
	}
	*same = rc == RB_OK && json_equal(first, second);
	json_decref(first);
	json_decref(second);
	run_free(other);
	return rc;
}

/* The last run of the plan is new: find an equal one among the others, or note it. */
static int once(struct expansion *x, const struct run *run, int *index)
{
	const struct sweep_run *last = &x->plan->run[x->plan->count - 1];
	const json_t *known = json_object_get(x->known, last->id);
	bool same;

	*index = (int)(known ? json_integer_value(known) : (json_int_t)x->plan->count - 1);
	if (!known && json_object_set_new(x->known, last->id, json_integer(*index)) != 0)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	if (!known)
		return RB_OK;
	RB_TRY(is_same(x, *index, run, &same));
	if (!same)
		return rb_fail(
			x->err, RB_EINVAL,
			"run %u has another run of the same name, which does not say in "
			"what they differ (node_size, a deadline); put it into a file of its "
			"own: %.200s",
			x->plan->run[*index].entry + 1, last->id);
	x->plan->count--;
	return RB_OK;
}

static int set_id(const struct run *run, int repetition, char id[SWEEP_ID], struct rb_error *err)
{
	size_t used = run->kind->name(run, NAME_WHOLE, id, SWEEP_ID);

	if (used < SWEEP_ID)
		used += (size_t)snprintf(id + used, SWEEP_ID - used, "-r%d", repetition);
	/* A name that is cut off may be equal to that of another run. */
	return used < SWEEP_ID ? RB_OK
			       : rb_fail(err, RB_EINVAL,
					 "%.60s...: the names of records would be too long", id);
}

/* Others can be compared with it: those of its group, and those of its problem that have none in
 * their group. */
static int note_plain(struct expansion *x, const struct run *run, int index)
{
	char problem[SWEEP_ID];

	if (!run->kind->is_plain(run))
		return RB_OK;
	if (x->plain < 0)
		x->plain = index;
	if (run->kind->name(run, NAME_PROBLEM, problem, sizeof problem) < sizeof problem &&
	    !json_object_get(x->problems, problem) &&
	    json_object_set_new(x->problems, problem, json_integer(index)) != 0)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	return RB_OK;
}

static int add_to_plan(struct expansion *x, struct run **run, const struct yaml_node *options)
{
	struct sweep_run *here = append(x->plan);
	int index;

	if (!here)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	*here = (struct sweep_run){ .options = options,
				    .setting = { x->hosts, x->kill != NULL },
				    .reference = -1,
				    .entry = x->number,
				    .repetition = x->repetition };
	RB_TRY(run_of_options(run, x->plan->kind, options, x->err));
	RB_TRY(x->plan->kind->complete(*run, &here->setting, x->err));
	RB_TRY(set_id(*run, x->repetition, here->id, x->err));
	RB_TRY(once(x, *run, &index));
	return note_plain(x, *run, index);
}

/* Append the present run, if the plan does not have it. kill: NULL: a failure-free run. */
static int add(struct expansion *x, const char *kill)
{
	struct yaml_node *options;
	struct run *run = NULL;
	bool without;
	int rc;

	if (x->plan->count == SWEEP_RUNS_MAX)
		return rb_fail(x->err, RB_EINVAL, "more than %d runs in one file", SWEEP_RUNS_MAX);
	if (++x->combinations > COMBINATIONS_MAX)
		return rb_fail(
			x->err, RB_EINVAL,
			"more than %d combinations in one file, most of which are the same run",
			COMBINATIONS_MAX);
	options = options_of(x, kill);
	if (!options)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	RB_TRY(leave_out_idle(x, options, &without));
	if (without) /* the failure-free run is there */
		return RB_OK;
	rc = add_to_plan(x, &run, options);
	run_free(run);
	return rc;
}

/* --- kills of a group --- */

/* The kill, with all ways to protect the problem. */
static int add_kill(struct expansion *x, const char *kill)
{
	do
		RB_TRY(add(x, kill));
	while (points_next(&x->now, true));
	return RB_OK;
}

static bool part_next(struct part *part)
{
	part->item = yaml_next(part->list, part->item);
	return part->item != NULL;
}

static bool is_all(const struct part *part)
{
	const struct yaml_node *first = yaml_next(part->list, NULL);

	return strcmp(first->text, "all") == 0 && !yaml_next(part->list, first);
}

/* Is it the phase that the kill was refused for? Then role 0 is refused, too. */
static bool is_bad_phase(struct expansion *x, int64_t iteration, const char *phase)
{
	const struct yaml_node *options;
	struct rb_error why;
	struct run *run = NULL;
	char kill[KILL];
	bool bad;

	snprintf(kill, sizeof kill, "0@%" PRId64 ":%.60s", iteration, phase);
	options = options_of(x, kill);
	bad = options && run_of_options(&run, x->plan->kind, options, &why) != RB_OK &&
	      strncmp(why.text, "--kill", 6) == 0;
	run_free(run);
	return bad;
}

static int add_phase(struct expansion *x, const char *role, int64_t iteration, const char *phase)
{
	char kill[KILL];
	int rc;

	snprintf(kill, sizeof kill, "%.60s@%" PRId64 ":%.60s", role, iteration, phase);
	rc = add_kill(x, kill);
	if (rc != RB_OK && !x->refused && x->phases.item && is_bad_phase(x, iteration, phase))
		x->refused = x->phases.item;
	return rc;
}

static int add_phases(struct expansion *x, const char *role, int64_t iteration)
{
	const char *phase;

	if (is_all(&x->phases)) {
		for (int i = 0; (phase = x->plan->kind->phase(role, i)); i++)
			RB_TRY(add_phase(x, role, iteration, phase));
		return RB_OK;
	}
	while (part_next(&x->phases))
		RB_TRY(add_phase(x, role, iteration, x->phases.item->text));
	return RB_OK;
}

/* np of the present values; 0: it is no number. */
static int64_t processes(const struct expansion *x)
{
	int64_t np = 0;

	for (int i = 0; i < x->now.count; i++)
		if (strcmp(x->now.axis[i].list->key, "np") == 0 &&
		    !text_integer(x->now.axis[i].item->text, 1, INT32_MAX, &np))
			np = 0;
	return np;
}

static int add_roles(struct expansion *x, int64_t iteration)
{
	char role[24];

	if (is_all(&x->roles)) {
		for (int64_t r = 0, np = processes(x); r < np; r++) {
			snprintf(role, sizeof role, "%" PRId64, r);
			RB_TRY(add_phases(x, role, iteration));
		}
		return RB_OK;
	}
	while (part_next(&x->roles))
		RB_TRY(add_phases(x, x->roles.item->text, iteration));
	return RB_OK;
}

/* "a..b" or a list "a,b,c". */
static int add_range(struct expansion *x, const char *text)
{
	const char *at = text;
	int64_t first, last;

	if (text_digits(&at, &first) && strncmp(at, "..", 2) == 0 &&
	    first < INT64_MAX - ITERATIONS_MAX &&
	    text_integer(at + 2, first, first + ITERATIONS_MAX - 1, &last)) {
		for (int64_t i = first; i <= last; i++)
			RB_TRY(add_roles(x, i));
		return RB_OK;
	}
	at = text;
	for (last = -1; text_digits(&at, &first) && first > last; last = first) {
		RB_TRY(add_roles(x, first));
		if (!*at)
			return RB_OK;
		if (*at++ != ',')
			break;
	}
	return rb_fail(x->err, RB_EINVAL,
		       "iterations: %.60s: expected first..last, or a,b,c in rising order", text);
}

static int add_kills(struct expansion *x)
{
	const struct yaml_node *item = NULL;

	if (!x->kill)
		return RB_OK;
	if (x->kill->kind == YAML_MAPPING) {
		while (part_next(&x->iterations))
			RB_TRY(add_range(x, x->iterations.item->text));
		return RB_OK;
	}
	while ((item = yaml_next(x->kill, item))) {
		x->roles.item = item; /* for messages */
		RB_TRY(add_kill(x, item->text));
	}
	return RB_OK;
}

/* --- groups and entries --- */

/* All runs of the group are compared with the plain one; if it has none, with that of the problem
 * elsewhere in the file, which is known when all entries are read: until then they have -1. */
static void refer(struct expansion *x)
{
	x->orphans = x->orphans || x->plain < 0;
	for (size_t i = x->begin; i < x->plan->count; i++)
		if ((int)i != x->plain)
			x->plan->run[i].reference = x->plain;
}

static int add_group(struct expansion *x)
{
	const struct experiment *e = x->of;
	const struct yaml_node *options = points_mapping(&x->now);

	if (!options)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	RB_TRY(x->plan->kind->check_keys(options, x->err));
	x->begin = x->plan->count;
	x->plain = -1;
	for (x->repetition = 0; x->repetition < e->repetitions || x->repetition < e->references;
	     x->repetition++) {
		if (x->repetition < e->references)
			RB_TRY(add_kill(x, NULL));
		if (x->repetition < e->repetitions)
			RB_TRY(add_kills(x));
	}
	refer(x);
	return RB_OK;
}

/* The kind is that of all entries. */
static int find_kind(struct expansion *x)
{
	const struct yaml_node *options = points_mapping(&x->now);
	const struct kind *kind = options ? run_kind_of_options(x->kinds, options, x->err) : NULL;

	if (!kind)
		return options ? RB_EINVAL : rb_fail(x->err, RB_ENOMEM, "out of memory");
	if (x->plan->kind && kind != x->plan->kind)
		return rb_fail(x->err, RB_EINVAL,
			       "the runs of a file are of one kind: all with protocol or program, "
			       "or none; put it into a file of its own");
	x->plan->kind = kind;
	return RB_OK;
}

/* What no run of the entry has would be missing without a word. What the top of the file says for
 * all entries may be of no use in some. */
static int check_use(struct expansion *x)
{
	if (x->kill && !x->killed && (!x->entry || yaml_get(x->entry, "kill")))
		return refuse(x, x->kill, "has no effect in any run of this entry");
	for (int i = 0; x->idle && i < x->now.count; i++) {
		const struct axis *a = &x->now.axis[i];
		const struct yaml_node *item = NULL;

		while (a->inner && (a->of_entry || !x->entry) && !points_is_coupled(&x->now, i) &&
		       (item = yaml_next(a->list, item)))
			if (!is_used(x, item)) {
				x->refused = item;
				return rb_fail(x->err, RB_EINVAL,
					       "%s: %.40s: has no effect in any run of this entry",
					       a->list->key, item->text);
			}
	}
	return RB_OK;
}

static int add_entry(struct expansion *x)
{
	const struct points_keys keys = { is_other, is_inner, x };

	RB_TRY(check_mapping(x, x->of->file->root, false));
	if (x->entry)
		RB_TRY(check_mapping(x, x->entry, true));
	x->told = true;
	RB_TRY(points_begin(&x->now, x->of->file, x->entry, &keys, x->err));
	x->told = false;
	RB_TRY(read_kill(x));
	RB_TRY(find_kind(x));
	do
		RB_TRY(add_group(x));
	while (points_next(&x->now, false));
	return check_use(x);
}

/* The line of the file that a message concerns: it begins with the option or the key. */
static int line_of(const struct expansion *x, const char *complaint)
{
	const char *word = complaint + (strncmp(complaint, "--", 2) == 0 ? 2 : 0);
	size_t length = strcspn(word, " :,");
	char key[TEXT];

	snprintf(key, sizeof key, "%.*s", (int)(length < TEXT ? length : 0), word);
	text_replace(key, '-', '_');
	if (x->refused)
		return x->refused->line;
	if (x->iterations.item && strcmp(key, "iterations") == 0)
		return x->iterations.item->line;
	if (x->roles.item && (strcmp(key, "kill") == 0 || strcmp(key, "iterations") == 0))
		return x->roles.item->line;
	if (x->kill && strcmp(key, "kill") == 0)
		return x->kill->line;
	for (int i = 0; i < x->now.count; i++)
		if (strcmp(x->now.axis[i].list->key, key) == 0)
			return x->now.axis[i].item->line;
	return x->entry ? x->entry->line : x->of->file->root->line;
}

/* The next entry. */
static int take_entry(void *ctx, const struct yaml_node *entry)
{
	struct expansion *x = ctx;
	struct rb_error *err = x->err, why;
	char of_entry[32] = "";
	int rc;

	x->entry = entry;
	x->refused = NULL;
	x->idle = x->killed = x->told = false;
	x->roles = x->iterations = x->phases = (struct part){ NULL, NULL, NULL };
	x->now.count = 0;
	x->err = &why;
	rc = add_entry(x);
	x->err = err;
	if (entry)
		snprintf(of_entry, sizeof of_entry, "run %u: ", x->number + 1);
	x->number++;
	if (rc == RB_OK)
		return RB_OK;
	return x->told ? rb_fail(err, rc, "%.500s", why.text)
		       : rb_fail(err, rc, "%s:%d: %s%.400s", x->of->file->path,
				 line_of(x, why.text), of_entry, why.text);
}

/* A run that is to be compared, and has no plain one in its group. */
static int adopt(struct expansion *x, size_t i)
{
	struct sweep_run *orphan = &x->plan->run[i];
	const json_t *found = NULL;
	char problem[SWEEP_ID];
	struct run *run = NULL;
	bool plain = false;
	int rc = sweep_plan_run(x->plan, i, &run, x->err);

	if (rc == RB_OK) {
		plain = run->kind->is_plain(run);
		run->kind->name(run, NAME_PROBLEM, problem, sizeof problem);
		found = json_object_get(x->problems, problem);
		if (!plain && found)
			orphan->reference = (int)json_integer_value(found);
	}
	run_free(run);
	return rc != RB_OK || plain || found
		       ? rc
		       : rb_fail(x->err, RB_EINVAL,
				 "%s:%d: run %u: %.200s: there is nothing to compare it with: let a run with "
				 "protocol source or off be in the file",
				 x->of->file->path, orphan->options->line, orphan->entry + 1,
				 orphan->id);
}

int sweep_runs(const struct kind *const *kinds, const struct hosts *hosts, struct sweep_plan *plan,
	       struct rb_error *err)
{
	struct expansion x = { .of = plan->of,
			       .kinds = kinds,
			       .hosts = hosts,
			       .plan = plan,
			       .err = err,
			       .used = json_object(),
			       .known = json_object(),
			       .problems = json_object() };
	int rc = points_entries(plan->of->file, take_entry, &x, err);

	for (size_t i = 0; rc == RB_OK && x.orphans && i < plan->count; i++)
		if (plan->run[i].reference < 0)
			rc = adopt(&x, i);
	json_decref(x.used);
	json_decref(x.known);
	json_decref(x.problems);
	return rc;
}

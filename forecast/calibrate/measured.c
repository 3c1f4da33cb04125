#include "forecast/calibrate/measured.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/store/results.h"
#include "contract/kernel.h"

#include <stdlib.h>
#include <string.h>

/* What must be equal in all records, because times depend on it. An absent key is equal to none.
 * Where processes outnumber cores, spares included, all of them wait by naps. */
static const char *const equal_keys[] = { "np",        "params",    "ckpt",
					  "ckpt_lag",  "power",     "replace",
					  "constants", "node_size", "oversubscribed" };

/* What is read into. */
struct reading {
	struct measurements *m;
	const struct wanted *w;
	json_t *another; /* a record of another kernel, np or option; NULL: there is none */
};

/* Why its times are none of the model's; NULL: they may be. */
static const char *unfit(const json_t *record)
{
	if (strcmp(text_of(record, "schema"), "rollbench-run-1") != 0 ||
	    !json_object_get(record, "kind"))
		return "no record of a run of this version";
	if (strcmp(text_of(record, "kind"), "elc") == 0)
		return "with --protocol";
	if (strcmp(text_of(record, "status"), "ok") != 0 ||
	    json_is_false(json_object_get(json_object_get(record, "compared"), "equal")))
		return "not ok, or not equal to the failure-free run";
	if (strcmp(text_of(record, "strategy"), "restart") == 0 ||
	    json_integer_value(json_object_get(record, "restarts")) > 0 ||
	    json_integer_value(json_object_get(record, "escalations")) > 0 ||
	    json_is_true(json_object_get(record, "resumed")))
		return "a job was started again";
	if (strcmp(text_of(record, "policy"), "off") == 0 || json_object_get(record, "paired"))
		return "without protection, or a paired run";
	if (json_object_get(record, "transaction"))
		return "with copies of the state, which a simulation does not have";
	if (!json_is_number(json_object_get(record, "loop_s")) ||
	    !json_is_integer(json_object_get(json_object_get(record, "iterations"), "useful")))
		return "without a time of its loop";
	if (json_array_size(json_object_get(record, "plan")) == 0 &&
	    json_array_size(json_object_get(record, "failures")) > 0)
		return "with kills by the clock or at random";
	if (json_array_size(json_object_get(record, "plan")) > 0 &&
	    json_array_size(json_object_get(record, "failures")) == 0)
		return "no role died";
	return NULL;
}

/* Is it of the kernel, the roles and the options that are asked for? */
static bool is_asked_for(const struct wanted *w, const json_t *record)
{
	const struct kernel_ops *kernel = kernel_find(text_of(record, "kernel"));
	const json_t *params = json_object_get(record, "params");

	if (w->kernel && strcmp(text_of(record, "kernel"), w->kernel) != 0)
		return false;
	if (w->np > 0 && json_integer_value(json_object_get(record, "np")) != w->np)
		return false;
	for (int i = 0; w->kernel && kernel && kernel->options[i].name; i++)
		if (w->value[i][0] &&
		    strcmp(text_of(params, kernel->options[i].name), w->value[i]) != 0)
			return false;
	return true;
}

/* Do roles outnumber the cores? Spares sleep until they are needed, so on one host they do not
 * count. */
static bool is_crowded(const json_t *record)
{
	const json_t *cores = json_object_get(json_object_get(record, "host"), "cores");

	if (json_object_get(record, "hosts") || !json_is_integer(cores))
		return !json_is_false(json_object_get(record, "oversubscribed"));
	return json_integer_value(json_object_get(record, "np")) > json_integer_value(cores);
}

static int add(struct measurements *m, const char *name, json_t *record, struct rb_error *err)
{
	struct measured *list = realloc(m->list, (m->count + 1) * sizeof *list), *r;
	const json_t *plan = json_object_get(record, "plan");

	if (!list)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	m->list = list;
	r = &list[m->count++];
	*r = (struct measured){ strdup(name), json_incref(record), NULL,
				json_number_value(json_object_get(record, "loop_s")), true };
	if (json_array_size(plan) > 0)
		r->point = json_dumps(plan, JSON_COMPACT);
	m->failure_free += !r->point;
	m->crowded = m->crowded || is_crowded(record);
	return r->name && (r->point || json_array_size(plan) == 0)
		       ? RB_OK
		       : rb_fail(err, RB_ENOMEM, "out of memory");
}

static int visit(void *ctx, const char *name, json_t *record, const char *why, struct rb_error *err)
{
	struct reading *r = ctx;

	r->m->read++;
	why = record ? unfit(record) : why;
	if (why) {
		json_object_set_new(
			r->m->left_out, why,
			json_integer(json_integer_value(json_object_get(r->m->left_out, why)) + 1));
		return RB_OK;
	}
	if (is_asked_for(r->w, record))
		return add(r->m, name, record, err);
	r->m->others++;
	if (!r->another)
		r->another = json_incref(record);
	return RB_OK;
}

static int differ(const struct measurements *m, const char *key, const json_t *a, const json_t *b,
		  struct rb_error *err)
{
	char *one = a ? json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT) : NULL,
	     *two = b ? json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	const char *remedy =
		strcmp(key, "kernel") == 0
			? "name the kernel, as in `rollbench simulate cg --from PATH`"
		: strcmp(key, "np") == 0 ? "give --np N"
		: strcmp(key, "oversubscribed") == 0
			? "measure failure-free runs with the same --spares as the others"
		: strcmp(key, "params") == 0 ? "name the kernel and give its options"
					     : "put those that belong together into a folder";

	rb_fail(err, RB_EINVAL,
		"--from %.200s: records differ in %s, %.80s and %.80s, so their times cannot be "
		"mixed; %s",
		m->path, key, one ? one : "none", two ? two : "none", remedy);
	free(one);
	free(two);
	return RB_EINVAL;
}

static int check_equal(const struct measurements *m, struct rb_error *err)
{
	const json_t *first = m->list[0].record, *host = json_object_get(first, "host");

	for (size_t i = 1; i < m->count; i++) {
		const json_t *record = m->list[i].record, *there = json_object_get(record, "host");

		if (strcmp(text_of(first, "kernel"), text_of(record, "kernel")) != 0)
			return differ(m, "kernel", json_object_get(first, "kernel"),
				      json_object_get(record, "kernel"), err);
		for (size_t k = 0; k < sizeof equal_keys / sizeof *equal_keys; k++) {
			const json_t *a = json_object_get(first, equal_keys[k]),
				     *b = json_object_get(record, equal_keys[k]);

			if (a != b && !json_equal(a, b))
				return differ(m, equal_keys[k], a, b, err);
		}
		if (strcmp(text_of(host, "cpu"), text_of(there, "cpu")) != 0)
			return differ(m, "the CPU of the host", json_object_get(host, "cpu"),
				      json_object_get(there, "cpu"), err);
	}
	return RB_OK;
}

/* No record fits: say what there is. */
static int none_fits(const struct measurements *m, const json_t *another, struct rb_error *err)
{
	char *params =
		another ? json_dumps(json_object_get(another, "params"), JSON_COMPACT) : NULL;

	if (another)
		rb_fail(err, RB_EINVAL,
			"--from %.200s: no record of this kernel with these options and roles; "
			"there is one of %.40s with np %lld and %.200s. Leave out what is other "
			"there, or measure such runs",
			m->path, text_of(another, "kernel"),
			(long long)json_integer_value(json_object_get(another, "np")),
			params ? params : "");
	else
		rb_fail(err, RB_EINVAL,
			"--from %.200s: %zu records, and no run that can be used. `rollbench "
			"simulate --against %.200s` gives reasons; measure again without these",
			m->path, m->read, m->path);
	free(params);
	return RB_EINVAL;
}

/* What was not asked for is that of the records. */
static int adopt(const struct measurements *m, struct wanted *w, struct rb_error *err)
{
	const json_t *first = m->list[0].record;
	const struct kernel_ops *kernel = kernel_find(text_of(first, "kernel"));

	if (!kernel)
		return rb_fail(err, RB_EINVAL,
			       "%s: unknown kernel %.40s; it was measured with another version",
			       m->list[0].name, text_of(first, "kernel"));
	w->kernel = kernel->name;
	w->np = (int)json_integer_value(json_object_get(first, "np"));
	if (w->np < 1)
		return rb_fail(err, RB_EINVAL, "%s: a damaged record: np %d", m->list[0].name,
			       w->np);
	if (w->steps == 0)
		w->steps = json_integer_value(json_object_get(json_object_get(first, "iterations"),
							      "useful")) /
			   w->np;
	for (int i = 0; kernel->options[i].name; i++)
		snprintf(w->value[i], sizeof w->value[i], "%s",
			 text_of(json_object_get(first, "params"), kernel->options[i].name));
	return RB_OK;
}

int measurements_read(struct measurements *m, struct wanted *w, struct rb_error *err)
{
	struct reading r = { m, w, NULL };
	int rc;

	*m = (struct measurements){ .path = w->path, .left_out = json_object() };
	rc = results_each("--from", w->path, visit, &r, err);
	if (rc == RB_OK && m->count == 0)
		rc = none_fits(m, r.another, err);
	json_decref(r.another);
	if (rc == RB_OK)
		rc = check_equal(m, err);
	if (rc == RB_OK && m->failure_free == 0)
		rc = rb_fail(
			err, RB_EINVAL,
			"--from %.200s: %zu records, but no failure-free run, so the time of an "
			"iteration is unknown; measure one without --kill and put its record there",
			w->path, m->count);
	return rc == RB_OK ? adopt(m, w, err) : rc;
}

void measurements_free(struct measurements *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->list[i].name);
		free(m->list[i].point);
		json_decref(m->list[i].record);
	}
	free(m->list);
	json_decref(m->left_out);
	*m = (struct measurements){ .count = 0 };
}

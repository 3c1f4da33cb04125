/* What is studied: profiles from files, or a kernel, which has a pattern besides. */
#include "base/status.h"
#include "forecast/study/study.h"
#include "forecast/study/played.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The name of the file without its folder and endings. */
static void name_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *end;

	snprintf(out, size, "%s", slash ? slash + 1 : path);
	end = strstr(out, ".csv");
	if (end && end != out)
		*end = '\0';
}

static void set_text(json_t *to, const char *key, const char *text)
{
	json_t *value = text ? json_string(text) : NULL; /* NULL also if it is no UTF-8 */

	json_object_set_new(to, key, value ? value : json_null());
}

static json_t *kernel_json(const struct study *s)
{
	json_t *spec = spec_json(&s->spec), *one;

	one = json_pack("{s:s, s:O, s:I, s:I}", "name", s->spec.kernel->name, "params",
			json_object_get(spec, "params"), "from", (json_int_t)s->iterations.from,
			"to", (json_int_t)s->iterations.to);
	json_decref(spec);
	return one;
}

static json_t *about_profile(const struct study *s, const struct profile *p, const char *path)
{
	json_t *one = json_object();
	char name[256];

	if (path)
		name_of(path, name, sizeof name);
	else
		snprintf(name, sizeof name, "%s-%d", s->spec.kernel->name, s->spec.np);
	set_text(one, "schema", "rollbench-study-1");
	set_text(one, "name", name);
	set_text(one, "file", path);
	set_text(one, "program", profile_get(p, "program"));
	set_text(one, "arguments", profile_get(p, "arguments"));
	set_text(one, "incomplete", p->incomplete);
	json_object_set_new(one, "np", json_integer(p->np));
	json_object_set_new(one, "phase",
			    s->phase < 0 ? json_null() : json_integer((json_int_t)s->phase));
	if (!path)
		json_object_set_new(one, "kernel", kernel_json(s));
	return one;
}

static int load_profile(const struct study *s, const char *path, struct profile *p,
			struct rb_error *err)
{
	struct rb_error why;
	int rc = profile_read(p, path, 0, err);

	if (rc == RB_OK && s->phase < 0)
		profile_sum_phases(p);
	else if (rc == RB_OK && (rc = profile_keep_phase(p, (int)s->phase, &why)) != RB_OK)
		rb_fail(err, rc, "%.200s: %.280s", path, why.text);
	return rc;
}

int study_open(struct study *s, const char *path, struct profile *p, json_t **about,
	       struct rb_error *err)
{
	int rc;

	*p = (struct profile){ 0 };
	if (path)
		rc = load_profile(s, path, p, err);
	else
		rc = profile_of_kernel(p, &s->spec, &s->iterations, s->copies, "rollbench study",
				       s->words, err);
	if (rc != RB_OK) {
		profile_free(p);
		return rc;
	}
	*about = about_profile(s, p, path);
	return RB_OK;
}

/* The bytes come from the same function as those of a run with this interval between
 * checkpoints. */
int study_budget(struct study *s, const struct strategy *g, double theta, const struct exchange *e,
		 bool *off, bool *lost, int64_t *log, int64_t *cap, struct rb_error *err)
{
	struct run_spec spec = s->spec;
	const struct kernel_args args = spec_args(&s->spec);
	const struct kernel_pattern pattern = kernel_pattern(spec.kernel, &args, spec.np);
	struct kernel_plan plan;
	struct policy policy;
	int rc;

	spec.interval = s->iterations.to - s->iterations.from;
	snprintf(spec.policy, sizeof spec.policy, "budget:%.9g%%%s", theta,
		 g->name + strlen("budget"));
	RB_TRY(spec_check(&spec, &plan, err));
	RB_TRY(policy_parse(&policy, spec.policy, err));
	*cap = policy.amount;
	rc = played_channels(
		&(struct played){ &pattern.pattern, &policy, s->iterations.from, s->iterations.to },
		e, off, lost, log);
	return rc == RB_OK ? rc : rb_fail(err, rc, "--strategy %s: out of memory", g->name);
}

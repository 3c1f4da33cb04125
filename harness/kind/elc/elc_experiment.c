/* Runs of plain MPI programs in an experiment file (docs/experiments.md, docs/event-logging.md). */
#include "harness/kind/elc/elc_run.h"

#include "base/status.h"
#include "base/text.h"
#include "harness/job/mpirun.h"
#include "harness/options/spec_options.h"
#include "harness/store/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct elc_plan *plan_of(const struct run *run)
{
	return &((const struct elc_run *)run)->plan;
}

/* Where the record goes, and what the result is compared with, is the sweep's own business. What no
 * table has is the program's, which knows its own options (elc_plan_check()). */
static int check_key(const char *key, struct rb_error *err)
{
	const struct option *own, *of_all;
	char name[OPTION_KEY];

	snprintf(name, sizeof name, "%s", key);
	text_replace(name, '_', '-');
	own = option_find(elc_options, name);
	if (!own)
		own = option_find(run_options, name);
	of_all = option_find(spec_table, name);
	if (!own && of_all && of_all->commands & (FOR_PROTOCOL | FOR_HOSTS))
		own = of_all;
	if (strchr(key, '-') || strcmp(key, "help") == 0 || (own && own->shape == SHAPE_NONE))
		return rb_fail(err, RB_EINVAL,
			       "%.60s: unknown key; docs/experiments.md has them all", key);
	if (!own && of_all && of_all->shape != SHAPE_NONE)
		return rb_fail(err, RB_EINVAL,
			       "%.60s: not with protocol or program: it is of the engine "
			       "(docs/event-logging.md)",
			       key);
	return RB_OK;
}

int elc_check_keys(const struct yaml_node *options, struct rb_error *err)
{
	for (const struct yaml_node *n = options->first; n; n = n->next)
		RB_TRY(check_key(n->key, err));
	return yaml_get(options, "np") ? RB_OK : rb_fail(err, RB_EINVAL, "the key np is missing");
}

bool elc_is_inner(const char *key)
{
	return option_is_inner(elc_options, key);
}

/* Without the library there are no lines, and nothing to go back to. */
bool elc_is_idle(const struct yaml_node *options, const char *key)
{
	const char *protocol = run_option(options, "protocol");

	return protocol && (!strcmp(protocol, "off") || !strcmp(protocol, "source")) &&
	       strcmp(key, "protocol") && (elc_is_inner(key) || strcmp(key, "kill") == 0);
}

const char *elc_phase(const char *role, int i)
{
	for (const struct elc_phase *p = elc_phases; p->name; p++)
		if ((!p->of_rank_0 || strcmp(role, "0") == 0) && i-- == 0)
			return p->name;
	return NULL;
}

/* The same arguments are the same run, in whatever order the file has them, and with zeros before a
 * number or not. */
static void arrange_arguments(struct elc_plan *p)
{
	char **a = p->argument;

	for (int i = 0; i < p->arguments; i += 2) {
		text_normal(a[i + 1]);
		for (int k = i; k > 0 && strcmp(a[k - 2], a[k]) > 0; k -= 2)
			for (int of = 0; of < 2; of++) {
				char *other = a[k - 2 + of];

				a[k - 2 + of] = a[k + of];
				a[k + of] = other;
			}
	}
}

int elc_complete(struct run *run, const struct run_setting *in, struct rb_error *err)
{
	struct elc_run *r = (struct elc_run *)run;

	r->plan.hosts = in->hosts;
	arrange_arguments(&r->plan);
	return elc_kind.check(run, err);
}

/* Is it an argument that says when there are lines, and nothing of the problem? */
static bool is_of_lines(const char *argument)
{
	return strcmp(argument, "--lines") == 0 || strcmp(argument, "--every") == 0;
}

static void append(char *out, size_t size, size_t *used, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void append(char *out, size_t size, size_t *used, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (*used < size)
		*used += (size_t)vsnprintf(out + *used, size - *used, fmt, args);
	va_end(args);
}

/* Those that say when there are lines, or the others. */
static void append_arguments(const struct elc_plan *p, bool of_lines, char *out, size_t size,
			     size_t *used)
{
	for (int i = 0; i < p->arguments; i += 2)
		if (is_of_lines(p->argument[i]) == of_lines)
			append(out, size, used, "-%s=%s", p->argument[i] + 2, p->argument[i + 1]);
}

/* "matmul-size=512-np2-events-lines=4-1@30.cut". */
size_t elc_name(const struct run *run, enum run_name part, char *out, size_t size)
{
	const struct elc_plan *p = plan_of(run);
	char kill[ELC_KILL] = "free";
	size_t used = 0;

	append(out, size, &used, "%s", p->program);
	append_arguments(p, false, out, size, &used);
	append(out, size, &used, "-np%d", p->np);
	if (part != NAME_PROBLEM) {
		append(out, size, &used, "-%s", elc_protocol_word((int)p->protocol));
		append_arguments(p, true, out, size, &used);
		if (p->interval_s > 0)
			append(out, size, &used, "-line-interval=%.9g", p->interval_s);
		if (p->log_form != ELC_COUNTED)
			append(out, size, &used, "-log=%s", elc_log_word((int)p->log_form));
	}
	if (p->kills > 0)
		elc_kill_format(&p->kill[0], kill, sizeof kill);
	if (part == NAME_WHOLE)
		append(out, size, &used, "-%s", kill);
	for (size_t i = 0; out[i]; i++)
		out[i] = strchr(" /\\:,'\"", out[i]) || (unsigned char)out[i] < ' ' ? '.' : out[i];
	return used;
}

bool elc_is_plain(const struct run *run)
{
	return !elc_is_on(plan_of(run));
}

static json_t *problem_of(const struct elc_plan *p)
{
	json_t *list = json_pack("[s, i]", p->program, p->np);

	for (int i = 0; i < p->arguments; i += 2)
		if (!is_of_lines(p->argument[i])) {
			json_array_append_new(list, json_string(p->argument[i]));
			json_array_append_new(list, json_string(p->argument[i + 1]));
		}
	return list;
}

/* The hash of a file, which is read once. RB_OK or RB_EIO. */
static int hash_once(const char *path, const char **out, struct rb_error *err)
{
	static json_t *known;
	char hash[MANIFEST_HASH];

	if (!known)
		known = json_object();
	if (!json_object_get(known, path)) {
		RB_TRY(strchr(path, '/') ? store_hash_file(path, hash, err)
					 : elc_hash(path, hash, err));
		json_object_set_new(known, path, json_string(hash));
	}
	*out = json_string_value(json_object_get(known, path));
	return RB_OK;
}

json_t *elc_describe(const struct run *run, struct rb_error *err)
{
	const struct elc_plan *p = plan_of(run);
	const char *executable, *library;
	json_t *arguments, *d;

	if (hash_once(p->path, &executable, err) != RB_OK ||
	    hash_once(ELC_LIBRARY, &library, err) != RB_OK)
		return NULL;
	arguments = json_array();
	elc_add_arguments(p, arguments);
	d = json_pack("{s:o, s:o, s:s, s:s, s:I, s:f, s:f, s:o, s:s, s:s}", "problem",
		      problem_of(p), "arguments", arguments, "protocol",
		      elc_protocol_word((int)p->protocol), "log_form",
		      elc_log_word((int)p->log_form), "lines", (json_int_t)p->lines, "interval_s",
		      p->interval_s, "deadline_s", p->deadline_s, "kills", elc_kills_json(p),
		      "executable", executable, "library", library);
	if (!d)
		rb_fail(err, RB_ENOMEM, "out of memory");
	else
		mpirun_describe(d);
	if (d && p->hosts) /* not their names */
		json_object_set_new(d, "hosts", hosts_shape_json(p->hosts));
	return d;
}

struct run_size elc_size(const struct run *run)
{
	return (struct run_size){ .np = plan_of(run)->np,
				  .iterations = -1,
				  .twice = plan_of(run)->kills > 0,
				  .deadline_s = plan_of(run)->deadline_s };
}

void elc_row(const struct run *run, char *out, size_t size)
{
	const struct elc_plan *p = plan_of(run);

	snprintf(out, size, "%s np=%d %s%s %s", p->program, p->np,
		 elc_protocol_word((int)p->protocol),
		 !elc_is_on(p)                       ? ""
		 : p->lines > 0 || p->interval_s > 0 ? ", lines"
						     : ", no lines",
		 p->kills > 0 ? "with a failure" : "failure-free");
}

bool elc_is_expected(const struct run *run, const json_t *record)
{
	const char *status = json_string_value(json_object_get(record, "status"));

	(void)run;
	return status && strcmp(status, status_name(STATUS_OK)) == 0;
}

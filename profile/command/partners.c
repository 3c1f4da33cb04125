/* From whom each role receives, from its pattern. */
#include "base/json.h"
#include "base/status.h"
#include "profile/command/parts.h"
#include "profile/command/profile_main.h"
#include "profile/command/role_list.h"
#include "harness/options/command.h"
#include "contract/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

enum { REFUSED = 2 }; /* exit status of a command that was refused */

struct asked {
	int role; /* -1: all */
	int repeats;
	int64_t parts_of; /* an iteration, what the role does in it; -1: from whom it receives */
	bool json;
};

#define AT(member) .at = offsetof(struct asked, member)

static const struct option own[] = {
	{ "role", "R",
	  "name those that role R receives from; otherwise: how many they are, of all roles",
	  OPTION_INT, AT(role), .least = 0, .most = INT32_MAX },
	{ "repeats", "N",
	  "iterations that the role repeats, from the first one on; with more of them it may need more "
	  "roles",
	  OPTION_INT, AT(repeats), .least = 1, .most = 1000000, .standard = "1" },
	{ "parts", "I",
	  "say instead what role R (default 0) does in iteration I, part by part: its own work, "
	  "exchanges of messages, the commit",
	  OPTION_LONG, AT(parts_of), .least = 0, .most = INT64_MAX },
	{ "json", NULL, "print JSON", OPTION_FLAG, AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench partners KERNEL|PROFILE|allreduce --np N [OPTION ...]\n"
		"\n"
		"Print from whom a role receives. If it dies, these have to replay to it (with policy all), and all others wait.\n"
		"With --parts: what it does in an iteration.\n"
		"Nothing is run, and only the pattern of that role is asked for; so that is quick also for 10^6 roles.\n"
		"`explain` says the same of a failure under any policy. allreduce is one reduction over all roles.\n"
		"\n",
	.options = FOR_PROFILE,
	.kernel = true,
	.profiles = true,
	.allreduce = true,
	.own = own,
};

static int add(void *ctx, const struct pattern_operation *o)
{
	return o->kind == PATTERN_RECEIVE ? role_list_add(ctx, o->peer) : RB_OK;
}

/* Those that a role receives from, in ascending order. */
static int find(struct role_list *p, const struct pattern *pattern, int role, int iterations)
{
	p->count = 0;
	for (int i = 0; i < iterations; i++) {
		RB_TRY(pattern->operations(pattern, role, i, add, p));
		role_list_sort(p); /* so the list stays as long as an iteration's */
	}
	return RB_OK;
}

/* Of one role: who they are. */
static int tell_role(json_t *told, struct role_list *p, const struct pattern *pattern,
		     const struct asked *r)
{
	json_object_set_new(told, "role", json_integer(r->role));
	RB_TRY(find(p, pattern, r->role, r->repeats));
	return json_object_set_new(told, "active", role_list_json(p)) == 0 ? RB_OK : RB_ENOMEM;
}

/* Of one role: what it does in an iteration. */
static int tell_parts(json_t *told, struct kernel_pattern *pattern, bool in_place,
		      const struct asked *r)
{
	const int role = r->role < 0 ? 0 : r->role;
	json_t *parts;

	json_object_set_new(told, "role", json_integer(role));
	json_object_set_new(told, "iteration", json_integer(r->parts_of));
	json_object_set_new(told, "in_place", json_boolean(in_place));
	RB_TRY(parts_list(pattern, role, r->parts_of, &parts));
	return json_object_set_new(told, "parts", parts) == 0 ? RB_OK : RB_ENOMEM;
}

/* Of all roles: how many they are. */
static int tell_all(json_t *told, struct role_list *p, const struct pattern *pattern,
		    const struct asked *r)
{
	json_int_t first = 0, least = INT32_MAX, most = -1, sum = 0, of = 0;

	for (int role = 0; role < pattern->np; role++) {
		RB_TRY(find(p, pattern, role, r->repeats));
		const json_int_t count = (json_int_t)p->count;

		first = role == 0 ? count : first;
		least = count < least ? count : least;
		of = count > most ? role : of;
		most = count > most ? count : most;
		sum += count;
	}
	return json_object_update_new(told, json_pack("{s:I, s:I, s:I, s:I, s:f}", "role_0", first,
						      "least", least, "most", most, "role_of_most",
						      of, "mean", (double)sum / pattern->np)) == 0
		       ? RB_OK
		       : RB_ENOMEM;
}

static void print(const json_t *told)
{
	const json_t *active = json_object_get(told, "active"), *one;
	size_t i;

	if (json_object_get(told, "parts")) {
		printf("role %lld in iteration %lld (%s)\n",
		       (long long)json_integer_value(json_object_get(told, "role")),
		       (long long)json_integer_value(json_object_get(told, "iteration")),
		       text_of(told, "layout"));
		parts_print(json_object_get(told, "parts"),
			    json_is_true(json_object_get(told, "in_place")));
		return;
	}
	if (!active) {
		printf("of all roles: from %lld to %lld (role %lld) others, %.4g on average; role "
		       "0: %lld\n",
		       (long long)json_integer_value(json_object_get(told, "least")),
		       (long long)json_integer_value(json_object_get(told, "most")),
		       (long long)json_integer_value(json_object_get(told, "role_of_most")),
		       json_real_value(json_object_get(told, "mean")),
		       (long long)json_integer_value(json_object_get(told, "role_0")));
		return;
	}
	printf("role %lld receives from %zu:",
	       (long long)json_integer_value(json_object_get(told, "role")),
	       json_array_size(active));
	json_array_foreach(active, i, one)
		printf(" %lld", (long long)json_integer_value(one));
	printf("\n");
}

static int check_parts(const struct kernel_plan *plan, const struct asked *r, struct rb_error *err)
{
	if (r->parts_of >= 0 && r->repeats != 1)
		return rb_fail(err, RB_EINVAL,
			       "--parts is of one iteration, so it does not go with --repeats");
	if (r->parts_of >= plan->iterations)
		return rb_fail(err, RB_EINVAL,
			       "--parts %" PRId64 ": there are %s%" PRId64 " iterations, from 0 on",
			       r->parts_of, plan->open_ended ? "at most " : "", plan->iterations);
	return RB_OK;
}

static int find_all(const struct run_spec *spec, const struct asked *r, json_t **told,
		    struct rb_error *err)
{
	const struct kernel_args args = spec_args(spec);
	struct kernel_pattern pattern = kernel_pattern(spec->kernel, &args, spec->np);
	struct kernel_plan plan = { .iterations = 0 };
	struct role_list p = { .role = NULL };
	int rc;

	RB_TRY(spec->kernel->plan(&args, spec->np, &plan, err));
	if (plan.data_driven)
		return rb_fail(err, RB_EINVAL,
			       "%s with these options: which messages are sent depends on data",
			       spec->kernel->name);
	if (r->role >= spec->np)
		return rb_fail(err, RB_EINVAL, "--role %d: there are %d roles", r->role, spec->np);
	RB_TRY(check_parts(&plan, r, err));
	*told = json_pack("{s:s, s:i, s:s}", "kernel", spec->kernel->name, "np", spec->np, "layout",
			  plan.layout);
	if (r->parts_of < 0)
		json_object_set_new(*told, "repeats", json_integer(r->repeats));
	rc = r->parts_of >= 0
		     ? tell_parts(*told, &pattern, plan.in_place, r)
		     : (r->role < 0 ? tell_all : tell_role)(*told, &p, &pattern.pattern, r);
	free(p.role);
	if (rc == RB_OK)
		return RB_OK;
	json_decref(*told);
	return rb_fail(err, rc, "the pattern of %s cannot be made: %s", spec->kernel->name,
		       rc == RB_ENOMEM ? "out of memory" : "an error");
}

static int tell(const struct run_spec *spec, const struct asked *r, struct rb_error *err)
{
	json_t *told;

	RB_TRY(find_all(spec, r, &told, err));
	if (r->json) {
		json_dumpf(told, stdout, JSON_COMPACT);
		printf("\n");
	} else {
		print(told);
	}
	json_decref(told);
	return RB_OK;
}

int partners_answer(int argc, char **argv, json_t **answer, struct rb_error *err)
{
	struct asked r = { .role = -1, .repeats = 1, .parts_of = -1 };
	struct run_spec spec;

	RB_TRY(command_parse(&command, argc, argv, &spec, &r, err));
	return find_all(&spec, &r, answer, err);
}

int partners_main(int argc, char **argv)
{
	struct asked r = { .role = -1, .repeats = 1, .parts_of = -1 };
	struct run_spec spec;
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, &spec, &r, &err);

	if (rc == 1)
		return 0;
	rc = rc == RB_OK ? tell(&spec, &r, &err) : rc;
	if (rc == RB_OK)
		return 0;
	fprintf(stderr, "rollbench partners: %s\n", err.text);
	return REFUSED;
}

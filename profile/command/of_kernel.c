#include "profile/command/of_kernel.h"

#include "base/status.h"
#include "base/text.h"
#include "profile/of_pattern.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The words of a command, with blanks between them. NULL: no memory. */
static char *joined(char **words)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (int i = 0; words[i]; i++)
		fprintf(to, "%s%s", i > 0 ? " " : "", words[i]);
	return fclose(to) == 0 ? text : NULL;
}

int profile_set_command(struct profile *p, const char *program, char **words)
{
	char host[256] = "", date[32], *arguments = joined(words);
	const time_t now = time(NULL);
	int rc;

	if (!arguments)
		return RB_ENOMEM;
	gethostname(host, sizeof host - 1);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	rc = profile_set(p, "program", program);
	if (rc == RB_OK)
		rc = profile_set(p, "arguments", arguments);
	if (rc == RB_OK)
		rc = profile_set(p, "host", host);
	if (rc == RB_OK)
		rc = profile_set(p, "date", date);
	free(arguments);
	return rc;
}

int iteration_range_parse(struct iteration_range *r, const char *text, struct rb_error *err)
{
	int64_t first, last;
	const char *at = text;

	if (text_digits(&at, &first) && strncmp(at, "..", 2) == 0 &&
	    text_integer(at + 2, first, INT64_MAX - 1, &last))
		*r = (struct iteration_range){ first, last + 1 };
	else if (text_integer(text, 1, INT64_MAX, &last))
		*r = (struct iteration_range){ 0, last };
	else
		return rb_fail(err, RB_EINVAL,
			       "--iterations %.60s: expected N, the first N iterations, or A..B, "
			       "iterations A to B",
			       text);
	return RB_OK;
}

static int check_range(struct iteration_range *r, const struct run_spec *spec,
		       const struct kernel_args *args, struct rb_error *err)
{
	struct kernel_plan plan = { .iterations = 0 };

	RB_TRY(spec->kernel->plan(args, spec->np, &plan, err));
	if (plan.data_driven)
		return rb_fail(
			err, RB_EINVAL,
			"%s with these options: which messages are sent depends on data; profile a "
			"run: rollbench profile --out FILE -- ./rollbench run %s ...",
			spec->kernel->name, spec->kernel->name);
	if (plan.open_ended && r->to == 0)
		return rb_fail(
			err, RB_EINVAL,
			"--iterations N is missing: %s stops by itself only when it computes",
			spec->kernel->name);
	if (!plan.open_ended && r->to > plan.iterations)
		return rb_fail(
			err, RB_EINVAL,
			"--iterations: %lld is asked for, and %s has %lld with these options",
			(long long)r->to, spec->kernel->name, (long long)plan.iterations);
	r->to = r->to > 0 ? r->to : plan.iterations;
	return RB_OK;
}

static int make(struct profile *p, const struct run_spec *spec, const struct kernel_args *args,
		const struct iteration_range *r, bool copies, const char *program, char **words)
{
	struct kernel_pattern pattern = kernel_pattern(spec->kernel, args, spec->np);
	char number[32];

	pattern.copies = copies;
	snprintf(number, sizeof number, "%lld", (long long)(r->to - r->from));
	RB_TRY(profile_set_command(p, program, words));
	RB_TRY(profile_set(p, "mpi", "none, from the pattern of the kernel"));
	RB_TRY(profile_set(p, "iterations", number));
	return profile_add_pattern(p, &pattern.pattern, r->from, r->to, FT_PHASE_ITERATIONS);
}

int profile_of_kernel(struct profile *p, const struct run_spec *spec, struct iteration_range *r,
		      bool copies, const char *program, char **words, struct rb_error *err)
{
	const struct kernel_args args = spec_args(spec);
	int rc;

	RB_TRY(check_range(r, spec, &args, err));
	profile_init(p, spec->np);
	rc = make(p, spec, &args, r, copies, program, words);
	if (rc == RB_OK)
		return RB_OK;
	profile_free(p);
	return rb_fail(err, rc,
		       rc == RB_ENOMEM ? "out of memory for the profile of %d roles"
				       : "the kernel has no pattern for %d roles",
		       spec->np);
}

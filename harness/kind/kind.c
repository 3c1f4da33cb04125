#include "harness/kind/kind.h"

#include "base/status.h"

#include <string.h>

static const char by_run[] = "run", none[] = "none";

static int set_reference(void *run, const char *text, struct rb_error *err)
{
	const size_t length = strlen(text);

	if (strcmp(text, by_run) && strcmp(text, none) &&
	    ((length != 16 && length != 32) || strspn(text, "0123456789abcdef") != length))
		return rb_fail(err, RB_EINVAL,
			       "--reference %.60s: expected run, none, or a hash of 16 or 32 "
			       "hexadecimal digits",
			       text);
	((struct run *)run)->reference_asked = text;
	return RB_OK;
}

#define AT(member) .at = offsetof(struct run, member)

const struct option run_options[] = {
	{ "reference", "HOW",
	  "what the final state, or the result of a program, is compared with. run: the "
	  "failure-free run, which is made first. none: nothing. Or the hash that is expected "
	  "(default: none for the engine, whose kernels verify their answers, and for the "
	  "protocols off and source; else run)",
	  OPTION_OWN, .set = set_reference },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ "workdir", "DIR",
	  "where the run folder is made (default $TMPDIR or /tmp); all hosts must see it",
	  OPTION_STRING, AT(workdir) },
	{ "keep", NULL,
	  "keep the run folder: reports or ledgers, checkpoints, mpirun.log; without --protocol "
	  "also if the run is interrupted, for `rollbench resume`",
	  OPTION_FLAG, AT(keep) },
	{ "quiet", NULL, "say nothing but errors", OPTION_FLAG, AT(quiet) },
	{ .name = NULL },
};

int run_refer(struct run *run, struct rb_error *err)
{
	const char *how = run->reference_asked;

	run->reference = run_reference_to(NULL, "");
	if (!how)
		how = run->kind->is_compared(run) ? by_run : none;
	if (strcmp(how, none) == 0)
		return RB_OK;
	if (strcmp(how, by_run) == 0)
		return run->kind->refer(run, err);
	run->reference = run_reference_to("--reference", how);
	return RB_OK;
}

json_t *run_record(struct run *run, enum run_status *status)
{
	json_t *record = run->kind->record(run, status);
	bool changed;

	if (record && run->reference.how)
		*status = compare_with(record, &run->reference, &changed);
	return record;
}

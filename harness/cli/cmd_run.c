/* `rollbench run`: what is the same for all kinds of runs. Their options are theirs. */
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/kind/kind.h"
#include "harness/record/trace_events.h"

#include <stdlib.h>
#include <string.h>

static void put_away(struct run *run, enum run_status status, FILE *talk)
{
	const struct kind *kind = run->kind;

	/* what was there before is removed only if nobody wants to look at it */
	if (run->keep || (run->from && status != STATUS_OK))
		fprintf(talk, "run folder: %s\n", kind->folder(run));
	else if (kind->is_resumable(run, status))
		fprintf(stderr,
			"rollbench run: mpirun was killed; go on with: rollbench resume %s\n",
			kind->folder(run));
	else {
		kind->remove(run);
		return;
	}
	kind->leave(run);
}

static const char *word_of(const struct run *run)
{
	return run->from ? "resume" : "run";
}

/* The exit status of a run that was not made to its end. */
static int not_made(const struct run *run, int rc, const struct rb_error *err)
{
	if (rc != RB_LOST)
		return refused_status(word_of(run), err);
	fprintf(stderr, "rollbench %s: interrupted; no process and no record is left\n",
		word_of(run));
	if (run->kind->folder(run)[0] || run->from)
		fprintf(stderr, "go on with: rollbench resume %s\n",
			run->from ? run->from : run->kind->folder(run));
	return interrupted_status(launch_signal());
}

/* The files that are asked for besides standard output. They are open before the run, so that none
 * is made whose record or trace cannot be written. */
struct files {
	struct record_file record, trace;
};

static int open_files(struct files *files, const struct run *run, struct rb_error *err)
{
	if (run->json && !record_is_to_stdout(run->json))
		RB_TRY(record_open(&files->record, run->json, err));
	return run->trace ? record_open(&files->trace, run->trace, err) : RB_OK;
}

static int write_trace(struct record_file *file, const json_t *record, struct rb_error *err)
{
	json_t *trace = trace_events(record);
	char *text = trace ? json_dumps(trace, JSON_COMPACT) : NULL;
	int rc = text ? record_write(file, text, strlen(text), err)
		      : rb_fail(err, RB_ENOMEM, "--trace: out of memory, no trace is written");

	free(text);
	json_decref(trace);
	return rc == RB_OK ? record_place(file, err) : rc;
}

static int write_files(struct files *files, const struct run *run, const json_t *record,
		       struct rb_error *err)
{
	RB_TRY(record_finish(&files->record, record, run->json, err));
	return run->trace ? write_trace(&files->trace, record, err) : RB_OK;
}

static int make(struct run *run, struct files *files)
{
	const struct kind *kind = run->kind;
	FILE *talk = run->quiet                       ? fopen("/dev/null", "we")
		     : record_is_to_stdout(run->json) ? stderr
						      : stdout;
	enum run_status status;
	struct rb_error err;
	json_t *record;
	int rc;

	if (kind->say_plan && !run->from)
		kind->say_plan(run, talk);
	fflush(talk);
	launch_catch_signals();
	rc = run_refer(run, &err);
	if (rc == RB_OK)
		rc = kind->make(run, run->keep || run->from ? LAUNCH_KEPT : LAUNCH_RESUMABLE, &err);
	if (rc != RB_OK)
		return not_made(run, rc, &err);
	record = run_record(run, &status);
	if (!record || !run->from)
		put_away(run, record ? status : STATUS_ABORT, talk);
	if (!record)
		return not_made(run, rb_fail(&err, RB_ENOMEM, "out of memory"), &err);
	kind->say_outcome(run, record, talk);
	rc = write_files(files, run, record, &err);
	if (rc == RB_OK && run->trace)
		fprintf(talk, "trace: %s, for ui.perfetto.dev or chrome://tracing\n", run->trace);
	if (run->from) /* without its record it is not done */
		put_away(run, rc == RB_OK ? status : STATUS_ABORT, talk);
	json_decref(record);
	return rc == RB_OK ? (int)status : refused_status(word_of(run), &err);
}

static int ask_for_notes(struct run *run, struct rb_error *err)
{
	if (strcmp(run->trace, "-") == 0 || (run->json && strcmp(run->trace, run->json) == 0))
		return rb_fail(err, RB_EINVAL, "--trace %.200s: expected a file of its own",
			       run->trace);
	if (!run->kind->notes)
		return rb_fail(err, RB_EINVAL, "--trace %.200s: not of a run with --protocol",
			       run->trace);
	if (!run->kind->notes(run))
		return rb_fail(err, RB_EINVAL,
			       "--trace %.200s: the run was begun without --timeline on, so its "
			       "processes have noted nothing",
			       run->trace);
	return RB_OK;
}

int run_to_its_end(struct run *run, struct rb_error *err)
{
	struct files files = { .record.to.fd = -1, .trace.to.fd = -1 };
	int rc = launch_find_hosts(run->kind->hosts(run), err);

	if (rc == RB_OK) {
		say_leftovers(word_of(run));
		rc = run->trace ? ask_for_notes(run, err) : RB_OK;
	}
	if (rc == RB_OK)
		rc = run->kind->check(run, err);
	if (rc == RB_OK)
		rc = open_files(&files, run, err);
	if (rc == RB_OK)
		rc = make(run, &files);
	record_discard(&files.record); /* unless it is in place */
	record_discard(&files.trace);
	return rc;
}

int cmd_run(int argc, char **argv)
{
	struct run *run;
	struct rb_error err;
	int rc = run_kind(all_kinds, argc, argv)->parse(&run, argc, argv, &err);

	if (rc == 1)
		rc = 0;
	else if (rc == RB_OK)
		rc = run_to_its_end(run, &err);
	run_free(run);
	return rc < 0 ? refused_status("run", &err) : rc;
}

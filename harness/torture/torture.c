#include "harness/torture/torture.h"

#include "base/clock.h"
#include "base/status.h"
#include "harness/job/launch_job.h"
#include "harness/store/store.h"
#include "harness/torture/torture_result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *torture_kills_word(int kills)
{
	static const char *const words[] = {
		[TORTURE_PLANNED] = "planned", [TORTURE_CLOCK] = "clock", [TORTURE_BOTH] = "both"
	};

	return kills <= TORTURE_BOTH ? words[kills] : NULL;
}

/* The answer to compare with: the failure-free run is made once per problem. */
static int refer(struct torture *t, int problem)
{
	struct run *run = t->source.run;
	const json_t *known = journal_answer(&t->journal, problem);
	const char *hash;

	if (!known) {
		RB_TRY(run_refer_to_plain(run, &t->err));
		RB_TRY(journal_add(&t->journal,
				   json_pack("{s:i, s:s}", "reference", problem, "state_hash",
					     run->reference.hash),
				   &t->err));
		known = journal_answer(&t->journal, problem);
	}
	hash = json_string_value(json_object_get(known, "state_hash"));
	if (!hash)
		return rb_fail(&t->err, RB_EINVAL, "%s: a reference without state_hash",
			       t->journal.path);
	run->reference = run_reference_to(RUN_FAILURE_FREE, hash);
	return RB_OK;
}

/* Keep the folder of a bad run, or remove it. */
static int put_away(struct torture *t, const json_t *record, bool expected, json_t *line)
{
	struct run *run = t->source.run;
	char to[SPEC_PATH];
	int rc;

	if (expected || !t->keep) {
		run->kind->remove(run);
		return RB_OK;
	}
	rc = result_folder(line, t->keep, to, &t->err);
	if (rc == RB_OK)
		rc = run->kind->keep(run, to, &t->err);
	if (rc != RB_OK) {
		printf("bad run folder, which could not be moved to --keep: %s\n",
		       run->kind->folder(run));
		return rc;
	}
	return result_keep(line, record, to, &t->err);
}

/* What the journal says of the run that was made. New reference; NULL: out of memory. */
static json_t *judge(struct torture *t, int64_t i, json_t *record, enum run_status status)
{
	struct run *run = t->source.run;
	const struct outcome outcome = t->source.judge(t->source.of, record, status);
	char command[COMMAND_TEXT];

	run->kind->command(run, command);
	return result_line(i, record, &outcome, command);
}

/* Make the run; *line: what the journal says of it. New reference. */
static int make_run(struct torture *t, int64_t i, int problem, json_t **line)
{
	struct run *run = t->source.run;
	enum run_status status;
	json_t *record;
	int rc;

	run->workdir = t->workdir;
	RB_TRY(load_check(&t->load, &t->err));
	RB_TRY(run->kind->check(run, &t->err));
	RB_TRY(refer(t, problem));
	RB_TRY(run->kind->make(run, LAUNCH_DISPOSABLE, &t->err));
	rc = load_check(&t->load, &t->err);
	if (rc != RB_OK) { /* this run was not loaded to its end */
		run->kind->remove(run);
		return rc;
	}
	record = run_record(run, &status);
	*line = record ? judge(t, i, record, status) : NULL;
	if (*line)
		rc = put_away(t, record, result_of(*line).expected, *line);
	else {
		run->kind->remove(run);
		rc = rb_fail(&t->err, RB_ENOMEM, "out of memory");
	}
	json_decref(record);
	if (rc != RB_OK)
		json_decref(*line);
	return rc;
}

static int torture_one(struct torture *t, int64_t i)
{
	const json_t *known = journal_run(&t->journal, i);
	struct torture_case drawn = { .left_out = false };
	struct outcome outcome;
	json_t *line;

	RB_TRY(t->source.draw(t->source.of, i, &drawn, &t->err));
	if (drawn.left_out)
		return RB_OK;
	if (!known) {
		RB_TRY(make_run(t, i, drawn.problem, &line));
		RB_TRY(journal_add(&t->journal, line, &t->err));
	}
	outcome = result_of(journal_run(&t->journal, i));
	outcome.resumed = known != NULL;
	if (!outcome.expected)
		result_say(journal_run(&t->journal, i));
	tally_add(&t->tally, drawn.row, &outcome);
	return RB_OK;
}

static int print_commands(struct torture *t)
{
	struct run *run = t->source.run;
	struct torture_case drawn;
	char text[COMMAND_TEXT];

	for (int64_t i = t->first; i < t->first + t->runs; i++) {
		drawn = (struct torture_case){ .left_out = false };
		RB_TRY(t->source.draw(t->source.of, i, &drawn, &t->err));
		if (drawn.left_out)
			continue;
		RB_TRY(run->kind->check(run, &t->err));
		run->kind->command(run, text);
		printf("%s\n", text);
	}
	return RB_OK;
}

/* On what the runs of a results folder depend: with anything else they would be other runs. */
static json_t *terms(const struct torture *t)
{
	char load[LOAD_TEXT], program[MANIFEST_HASH];
	json_t *here, *own = t->source.terms(t->source.of);

	load_format(&t->load, load);
	store_hash_program(program);
	here = json_pack("{s:s, s:I}", "schema", "rollbench-torture-1", "seed",
			 (json_int_t)t->seed);
	if (here && own && json_object_update(here, own) == 0 &&
	    json_object_set_new(here, "load", json_string(load)) == 0 &&
	    json_object_set_new(here, "program", json_string(program)) == 0) {
		json_decref(own);
		return here;
	}
	json_decref(own);
	json_decref(here);
	return NULL;
}

static int open_folders(struct torture *t)
{
	json_t *here;
	int rc;

	if (!t->results)
		RB_TRY(journal_none(&t->journal, &t->err));
	if (t->results) {
		here = terms(t);
		rc = here ? journal_open(&t->journal, t->results, here, &t->err)
			  : rb_fail(&t->err, RB_ENOMEM, "out of memory");
		json_decref(here);
		RB_TRY(rc);
		snprintf(t->in_results, sizeof t->in_results, "%s/bad", t->results);
		t->keep = t->keep ? t->keep : t->in_results;
	}
	if (t->keep && store_make_folders(t->keep) != 0)
		return rb_fail(&t->err, RB_EIO, "--keep %s: %s", t->keep, strerror(errno));
	return RB_OK;
}

static int run_all(struct torture *t)
{
	double end = clock_monotonic() + 60 * t->minutes;

	for (int64_t i = t->first; i < t->first + t->runs; i++) {
		int rc = launch_signal() ? RB_LOST : torture_one(t, i);

		if (rc != RB_OK)
			return rc;
		t->tally.done = (size_t)(i + 1 - t->first);
		tally_progress(&t->tally, i + 1 == t->first + t->runs);
		if (t->minutes > 0 && clock_monotonic() > end) {
			printf("time is up after %" PRId64 " of %" PRId64
			       " runs; go on with %s%" PRId64 "\n",
			       i + 1 - t->first, t->runs,
			       t->results ? "the same command, or --first " : "--first ", i + 1);
			break;
		}
	}
	return RB_OK;
}

static void say_summary(struct torture *t)
{
	char load[LOAD_TEXT];

	load_format(&t->load, load);
	if (t->tally.resumed > 0)
		printf("%zu of these runs were already done\n", t->tally.resumed);
	tally_table(&t->tally, stdout);
	printf("load beside the runs: %s\n", load);
	if (t->source.say)
		t->source.say(t->source.of);
	if (t->results)
		printf("results: %s\n", t->journal.path);
}

static int torture(struct torture *t)
{
	int rc;

	launch_catch_signals();
	tally_start(&t->tally, (size_t)t->runs);
	t->tally.elc = t->source.elc;
	rc = open_folders(t);
	if (rc == RB_OK)
		rc = load_start(&t->load, t->workdir, &t->err);
	if (rc == RB_OK)
		rc = run_all(t);
	else if (launch_signal())
		rc = RB_LOST;
	load_stop(&t->load);
	if (rc == RB_OK)
		say_summary(t);
	journal_close(&t->journal);
	return rc;
}

static int interrupted(const struct torture *t)
{
	fprintf(stderr,
		"\nrollbench torture: interrupted after %zu runs; no process is left. Go on with %s%" PRId64
		"\n",
		t->tally.done, t->results ? "the same command, or --first " : "--first ",
		t->first + (int64_t)t->tally.done);
	return 128 + launch_signal();
}

int torture_main(struct torture *t)
{
	int rc = t->dry_run ? print_commands(t) : torture(t);

	if (rc == RB_LOST)
		return interrupted(t);
	if (rc < 0) {
		fprintf(stderr, "rollbench torture: %s\n", t->err.text);
		return STATUS_USAGE;
	}
	return t->tally.bad == 0 ? 0 : STATUS_WRONG;
}

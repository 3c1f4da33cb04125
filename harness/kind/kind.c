#include "harness/kind/kind.h"

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
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
	{ "trace", "FILE",
	  "write what each process did, and when, to FILE as trace events, which Perfetto "
	  "(ui.perfetto.dev) and chrome://tracing show; implies --timeline on. Not with --protocol",
	  OPTION_STRING, AT(trace) },
	{ "workdir", "DIR",
	  "where the run folder is made (default $TMPDIR or /tmp); all hosts must see it",
	  OPTION_STRING, AT(workdir) },
	{ "keep", NULL,
	  "keep the run folder: reports or ledgers, checkpoints, mpirun.log; also if the run is "
	  "interrupted, for `rollbench resume` (not with --protocol off or source)",
	  OPTION_FLAG, AT(keep) },
	{ "quiet", NULL, "say nothing but errors", OPTION_FLAG, AT(quiet) },
	{ .name = NULL },
};

const char *run_option(const struct yaml_node *options, const char *key)
{
	const struct yaml_node *node = yaml_get(options, key);

	return node ? node->text : NULL;
}

/* The command line of a run, in one block of memory: its words, then their texts. */
struct line {
	char **word;
	int count;
	char *at; /* the end of the texts */
};

static void add_word(struct line *line, const char *key, const char *text)
{
	line->word[line->count++] = line->at;
	if (*key) {
		line->at += sprintf(line->at, "--%s", key);
		text_replace(line->word[line->count - 1], '_', '-');
		*line->at++ = '=';
	}
	line->at += sprintf(line->at, "%s", text) + 1;
}

/* What is run, or NULL with a message. */
static const char *argument_of(const struct yaml_node *options, struct rb_error *err)
{
	const char *kernel = run_option(options, "kernel"),
		   *program = run_option(options, "program");

	if (kernel && program)
		rb_fail(err, RB_EINVAL, "program: not beside kernel");
	else if (!kernel && !program)
		rb_fail(err, RB_EINVAL, "the key kernel, or program, is missing");
	return kernel && program ? NULL : kernel ? kernel : program;
}

/* *words: the block, which the caller frees. RB_OK, RB_EINVAL or RB_ENOMEM. */
static int make_line(struct line *line, char **words, const struct yaml_node *options,
		     struct rb_error *err)
{
	const char *what = argument_of(options, err);
	const size_t most = options->count + 3;
	size_t size = most * sizeof *line->word + (what ? strlen(what) : 0) + 16;

	*words = NULL;
	if (!what)
		return RB_EINVAL;
	for (const struct yaml_node *n = options->first; n; n = n->next)
		size += strlen(n->key) + strlen(n->text) + 4;
	*words = calloc(1, size);
	if (!*words)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	*line = (struct line){ .word = (char **)(void *)*words,
			       .at = *words + most * sizeof *line->word };
	add_word(line, "", "run");
	add_word(line, "", what);
	for (const struct yaml_node *n = options->first; n; n = n->next)
		if (strcmp(n->key, "kernel") && strcmp(n->key, "program"))
			add_word(line, n->key, n->text);
	return RB_OK;
}

const struct kind *run_kind(const struct kind *const *kinds, int argc, char **argv)
{
	while (!(*kinds)->takes(argc, argv))
		kinds++;
	return *kinds;
}

const struct kind *run_kind_of_options(const struct kind *const *kinds,
				       const struct yaml_node *options, struct rb_error *err)
{
	const struct kind *kind = NULL;
	struct line line;
	char *words;

	if (make_line(&line, &words, options, err) == RB_OK)
		kind = run_kind(kinds, line.count, line.word);
	free(words);
	return kind;
}

int run_new(struct run **run, const struct kind *kind, size_t size, struct rb_error *err)
{
	*run = calloc(1, size);
	if (!*run)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	(*run)->kind = kind;
	return RB_OK;
}

int run_of_folder(struct run **run, const struct kind *const *kinds, const char *dir,
		  struct rb_error *err)
{
	json_t *spec = spec_file_read(dir, err);
	int rc;

	*run = NULL;
	if (!spec)
		return RB_EIO;
	while (*kinds && strcmp(text_of(spec, "kind"), (*kinds)->word) != 0)
		kinds++;
	rc = *kinds ? (*kinds)->load(run, dir, spec, err)
		    : spec_file_refuse(dir, RB_EINVAL, "kind", err);
	json_decref(spec);
	return rc;
}

int run_of_options(struct run **run, const struct kind *kind, const struct yaml_node *options,
		   struct rb_error *err)
{
	struct line line;
	char *words;
	int rc;

	*run = NULL;
	RB_TRY(make_line(&line, &words, options, err));
	if (command_help_asked(line.count, line.word))
		rc = rb_fail(err, RB_EINVAL, "help: not an option of a run");
	else
		rc = kind->parse(run, line.count, line.word, err);
	if (*run)
		(*run)->words = words;
	else
		free(words);
	return rc;
}

void run_free(struct run *run)
{
	char *words = run ? run->words : NULL;

	if (run)
		run->kind->free(run);
	free(words);
}

/* What the record of a failure-free run says. RB_OK or RB_EINVAL. */
static int take_reference(struct run *run, const json_t *record, enum run_status status,
			  struct rb_error *err)
{
	const char *hash = json_string_value(json_object_get(record, "state_hash")),
		   *message = json_string_value(json_object_get(record, "message"));
	const json_t *seconds = json_object_get(record, "loop_s");

	if (!seconds)
		seconds = json_object_get(json_object_get(record, "result"), "seconds");
	if (status != STATUS_OK || !hash)
		return rb_fail(err, RB_EINVAL,
			       "the failure-free run, whose result is the reference, is not ok but "
			       "%s%s%.300s; see --reference",
			       status_name(status), message ? ": " : "", message ? message : "");
	run->reference = run_reference_to(RUN_FAILURE_FREE, hash);
	run->reference.seconds = json_number_value(seconds);
	run->reference.wall_s = json_number_value(json_object_get(record, "wall_s"));
	return RB_OK;
}

int run_refer_to_plain(struct run *run, struct rb_error *err)
{
	enum run_status status;
	json_t *record = NULL;
	struct run *plain;
	int rc = run->kind->make_plain(&plain, run, err);

	if (rc == RB_OK)
		rc = run_make(plain, &record, &status, err);
	if (rc == RB_OK)
		rc = take_reference(run, record, status, err);
	json_decref(record);
	run_free(plain);
	return rc;
}

int run_refer(struct run *run, struct rb_error *err)
{
	const char *how = run->reference_asked;

	if (!how && run->from) /* its folder has said what it is compared with */
		return RB_OK;
	run->reference = run_reference_to(NULL, "");
	if (!how)
		how = run->kind->is_compared(run) ? by_run : none;
	if (strcmp(how, none) == 0)
		return RB_OK;
	if (strcmp(how, by_run) == 0)
		return run_refer_to_plain(run, err);
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

int run_make(struct run *run, json_t **record, enum run_status *status, struct rb_error *err)
{
	RB_TRY(run->kind->make(run, LAUNCH_DISPOSABLE, err));
	*record = run_record(run, status);
	run->kind->remove(run);
	return *record ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
}

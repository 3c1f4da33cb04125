/* The forecasts that the items of the papers ask for (docs/papers.md). */
#include "base/build_json.h"
#include "base/status.h"
#include "harness/cli/explain.h"
#include "harness/cli/papers_forecasts.h"
#include "harness/papers/questions.h"
#include "harness/record/record.h"
#include "harness/store/store.h"
#include "profile/command/profile_main.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

static const struct {
	const char *command;
	int (*answer)(int argc, char **argv, json_t **answer, struct rb_error *err);
} asked[] = {
	{ "explain", explain_answer },
	{ "partners", partners_answer },
};

/* The words of a command line without quotes. */
static int answer(char *line, json_t **out, struct rb_error *err)
{
	char *words[WORDS + 1], *save = NULL;
	int count = 0;

	for (char *word = strtok_r(line, " ", &save); word && count < WORDS;
	     word = strtok_r(NULL, " ", &save))
		words[count++] = word;
	words[count] = NULL;
	for (size_t i = 0; count > 0 && i < sizeof asked / sizeof *asked; i++)
		if (strcmp(words[0], asked[i].command) == 0)
			return asked[i].answer(count, words, out, err);
	return rb_fail(err, RB_EINVAL, "expected explain or partners with their options");
}

/* What is answered, and of which file. */
struct asking {
	const struct yaml_file *file;
	json_t *answers;
};

/* Answer a question, unless that was done. */
static int take(void *ctx, const struct yaml_node *node, const char *line, struct rb_error *err)
{
	const struct asking *a = ctx;
	json_t *found = NULL;
	struct rb_error why;
	char *words;
	int rc;

	if (json_object_get(a->answers, line))
		return RB_OK;
	words = strdup(line);
	rc = words ? answer(words, &found, &why) : rb_fail(&why, RB_ENOMEM, "out of memory");
	free(words);
	if (rc != RB_OK)
		return rb_fail(err, rc, "%s:%d: %.100s: %.300s", a->file->path, node->line, line,
			       why.text);
	json_object_set_new(a->answers, line, found);
	return RB_OK;
}

static int of_file(const char *path, json_t *answers, struct rb_error *err)
{
	struct yaml_file *file = NULL;
	int rc = yaml_load(path, "docs/papers.md", &file, err);
	struct asking a = { file, answers };

	if (rc == RB_OK)
		rc = questions_each(file, take, &a, err);
	yaml_free(file);
	return rc;
}

static int answer_all(const char *folder, json_t *answers, struct rb_error *err)
{
	char pattern[SPEC_PATH + 8];
	glob_t found;
	int rc = RB_OK;

	snprintf(pattern, sizeof pattern, "%s/*.yaml", folder);
	if (glob(pattern, 0, NULL, &found) != 0)
		return rb_fail(err, RB_EIO, "%s: no items of papers", folder);
	for (size_t i = 0; rc == RB_OK && i < found.gl_pathc; i++)
		rc = of_file(found.gl_pathv[i], answers, err);
	globfree(&found);
	return rc;
}

int papers_forecasts(const char *folder, const char *results, struct rb_error *err)
{
	json_t *answers = json_object(), *record;
	char path[SPEC_PATH];
	int rc = answer_all(folder, answers, err);

	record = json_pack("{s:s, s:o, s:o}", "schema", "rollbench-forecasts-1", "rollbench",
			   build_json(), "answers", answers);
	if (rc == RB_OK && !record)
		rc = rb_fail(err, RB_ENOMEM, "out of memory");
	if (rc == RB_OK && store_make_folders(results) != 0)
		rc = rb_fail(err, RB_EIO, "--results %.300s: %s", results, strerror(errno));
	if (rc == RB_OK && snprintf(path, sizeof path, "%s/forecasts.json", results) >= SPEC_PATH)
		rc = rb_fail(err, RB_EINVAL, "--results: the path is too long");
	if (rc == RB_OK)
		rc = record_deliver(record, path, err);
	json_decref(record);
	return rc;
}

#include "harness/papers/papers_run.h"

#include "base/child.h"
#include "base/program.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/options/command.h"
#include "harness/record/record.h"
#include "harness/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	STEPS_DEEP = 8,  /* steps that are made of steps */
	WORDS = 64,      /* of a command */
	BUDGET_SPENT = 6 /* exit status of a sweep (docs/experiments.md) */
};

static const char results_here[] = "{results}";

/* --- reading --- */

static int no_such_item(const char *name, struct rb_error *err)
{
	return rb_fail(err, RB_EINVAL, "%.100s: no such item; `rollbench papers list` names all",
		       name);
}

static const struct yaml_node *find_item(const struct yaml_file *file, const char *id)
{
	const struct yaml_node *items = yaml_get(file->root, "items"), *item = NULL, *its;

	while (items && (item = yaml_next(items, item))) {
		its = yaml_get(item, "id");
		if (its && its->text && strcmp(its->text, id) == 0)
			return item;
	}
	return NULL;
}

/* A line "=NAME" stands for the lines of that step. */
static int add_lines(struct papers_item *item, const struct yaml_node *list, int deep,
		     struct rb_error *err)
{
	const struct yaml_node *line = NULL, *steps = yaml_get(item->file->root, "steps");

	while (list && (line = yaml_next(list, line))) {
		const struct yaml_node *step =
			line->text && line->text[0] == '=' ? yaml_get(steps, line->text + 1) : NULL;

		if (step && deep < STEPS_DEEP) {
			RB_TRY(add_lines(item, step, deep + 1, err));
			continue;
		}
		if (item->lines == PAPERS_LINES)
			return yaml_refuse(item->file, line, err,
					   "more than %d commands of an item", PAPERS_LINES);
		if (!line->text || line->text[0] == '=')
			return yaml_refuse(item->file, line, err,
					   "expected a command, or =NAME for a step of the file");
		item->line[item->lines++] = line->text;
	}
	return RB_OK;
}

/* "unit_power", "test_power" or "test_power.test_it": of a C program, of a module, or one test of
 * it. */
static int add_tests(struct papers_item *item, struct rb_error *err)
{
	const struct yaml_node *tests = yaml_get(item->node, "tests"), *test = NULL;

	item->tests = true;
	while (tests && (test = yaml_next(tests, test))) {
		const size_t room = strlen(test->text) + sizeof " and ";
		const char *dot = strchr(test->text, '.');
		char *text = yaml_alloc(item->file, room);

		if (!text)
			return rb_fail(err, RB_ENOMEM, "out of memory");
		if (item->lines == PAPERS_LINES)
			return yaml_refuse(item->file, test, err, "more than %d tests of an item",
					   PAPERS_LINES);
		snprintf(text, room, "%.*s%s%s", (int)strcspn(test->text, "."), test->text,
			 dot ? " and " : "", dot ? dot + 1 : "");
		item->line[item->lines++] = text;
	}
	return RB_OK;
}

static int nothing_to_run(const struct papers_item *item, const char *profile, struct rb_error *err)
{
	const struct yaml_node *reason = yaml_get(item->node, "reason"),
			       *read = yaml_get(item->node, "read"),
			       *page = read ? yaml_next(read, NULL) : NULL;

	return rb_fail(err, RB_EINVAL, "%.100s: nothing to run with profile %s: %s%.300s",
		       item->name, profile, reason ? "" : "read ",
		       reason ? reason->text
		       : page ? page->text
			      : "docs/papers.md");
}

int papers_load(struct papers_item *item, const char *name, const char *profile, const char *root,
		const char *results, struct rb_error *err)
{
	const char *slash = strchr(name, '/');
	const struct yaml_node *commands;
	char paper[SPEC_TEXT];

	*item = (struct papers_item){ .name = name, .root = root, .results = results };
	snprintf(paper, sizeof paper, "%.*s", slash ? (int)(slash - name) : 0, name);
	if (!text_names_folder(paper))
		return no_such_item(name, err);
	if (asprintf(&item->path, "%s/plots/papers/%s.yaml", root, paper) < 0) {
		item->path = NULL;
		return rb_fail(err, RB_ENOMEM, "out of memory");
	}
	if (access(item->path, F_OK) != 0)
		return no_such_item(name, err);
	RB_TRY(yaml_load(item->path, "docs/papers.md", &item->file, err));
	item->node = find_item(item->file, slash + 1);
	if (!item->node)
		return no_such_item(name, err);
	commands = yaml_get(item->node, "commands");
	RB_TRY(add_lines(item, commands ? yaml_get(commands, profile) : NULL, 0, err));
	if (item->lines == 0)
		RB_TRY(add_tests(item, err));
	return item->lines > 0 ? RB_OK : nothing_to_run(item, profile, err);
}

void papers_free(struct papers_item *item)
{
	yaml_free(item->file);
	free(item->path);
}

/* --- printing --- */

static void say_line(const struct papers_item *item, int i, FILE *to)
{
	const char *at = item->line[i], *here;

	if (item->tests) {
		fprintf(to, "make test ARGS='-k \"%s\"'\n", at);
		return;
	}
	if (strncmp(at, "./rollbench", 11) != 0) /* scripts run where the libraries are */
		fprintf(to, "scripts/with-env ");
	for (; (here = strstr(at, results_here)); at = here + strlen(results_here)) {
		fprintf(to, "%.*s", (int)(here - at), at);
		command_print_word(to, item->results);
	}
	fprintf(to, "%s\n", at);
}

void papers_say(const struct papers_item *item, FILE *to)
{
	for (int i = 0; i < item->lines; i++)
		say_line(item, i, to);
}

/* --- running --- */

/* A command as it is executed; its texts end with it. */
struct call {
	char *word[WORDS + 1];
	int words;
	char *target; /* the file of its standard output; NULL: ours */
	struct record_file to;
};

static void call_free(struct call *c)
{
	for (int i = 0; i < c->words; i++)
		free(c->word[i]);
	free(c->target);
}

/* A copy with the folder of the results in it, and behind `folder` unless that is "". NULL: out of
 * memory. */
static char *copy_of(const struct papers_item *item, const char *folder, const char *word)
{
	const char *here = strstr(word, results_here),
		   *behind = here ? here + strlen(results_here) : word + strlen(word);
	char *out = NULL;

	if (asprintf(&out, "%s%s%.*s%s%s", folder, *folder ? "/" : "",
		     (int)((here ? here : behind) - word), word, here ? item->results : "",
		     behind) < 0)
		return NULL;
	return out;
}

/* Is the word a path in the checkout? */
static bool is_ours(const char *word)
{
	static const char *const folders[] = { "configs/", "plots/", "scripts/", "tests/",
					       "data/" };

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(word, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

static int add_word(struct call *c, char *word, struct rb_error *err)
{
	if (!word)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	if (c->words == WORDS) {
		free(word);
		return rb_fail(err, RB_EINVAL, "a command of more than %d words", WORDS);
	}
	c->word[c->words++] = word;
	c->word[c->words] = NULL;
	return RB_OK;
}

/* What it reads of the checkout must be there: an installation does not have all of it. path: that
 * of `name`. */
static int check_there(const struct papers_item *item, const char *path, const char *name,
		       struct rb_error *err)
{
	return access(path, F_OK) == 0
		       ? RB_OK
		       : rb_fail(err, RB_EINVAL,
				 "%.200s: it is not in %.250s; run this in a checkout", name,
				 item->root);
}

static int add_path(struct call *c, const struct papers_item *item, const char *word,
		    struct rb_error *err)
{
	RB_TRY(add_word(c, copy_of(item, item->root, word), err));
	return check_there(item, c->word[c->words - 1], word, err);
}

static void look_for_matplotlib(void *unused)
{
	static const char look[] = "import importlib.util, sys; "
				   "sys.exit(importlib.util.find_spec('matplotlib') is None)";

	(void)unused;
	execlp("python3", "python3", "-c", look, (char *)NULL);
}

/* One that has matplotlib: a Python of the user's own may come first on the PATH and lack it. */
static const char *python(void)
{
	static const char *found;

	if (!found)
		found = child_run(look_for_matplotlib, NULL) == 0 ? "python3" : "/usr/bin/python3";
	return found;
}

static int add(struct call *c, const struct papers_item *item, const char *word,
	       struct rb_error *err)
{
	char program[SPEC_PATH];

	if (word[0] == '>') {
		c->target = copy_of(item, "", word + 1);
		return c->target ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
	}
	if (is_ours(word))
		return add_path(c, item, word, err);
	if (strcmp(word, "./rollbench") == 0) {
		program_path(program, sizeof program);
		return add_word(c, strdup(program), err);
	}
	if (c->words == 0 && strcmp(word, "python3") == 0)
		return add_word(c, strdup(python()), err);
	return add_word(c, copy_of(item, "", word), err);
}

/* Words have no blanks. */
static int read_line(struct call *c, const struct papers_item *item, const char *line,
		     struct rb_error *err)
{
	char *copy = strdup(line), *save = NULL;
	int rc = copy ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

	for (char *word = copy ? strtok_r(copy, " ", &save) : NULL; word && rc == RB_OK;
	     word = strtok_r(NULL, " ", &save))
		rc = add(c, item, word, err);
	free(copy);
	return rc;
}

static int read_test(struct call *c, const struct papers_item *item, const char *test,
		     struct rb_error *err)
{
	static const char name[] = "Makefile";
	char *words = NULL, *makefile = copy_of(item, item->root, name);
	int rc = makefile ? check_there(item, makefile, name, err)
			  : rb_fail(err, RB_ENOMEM, "out of memory");

	free(makefile);
	RB_TRY(rc);
	RB_TRY(add_word(c, strdup("make"), err));
	RB_TRY(add_word(c, strdup("-C"), err));
	RB_TRY(add_word(c, strdup(item->root), err));
	RB_TRY(add_word(c, strdup("test"), err));
	return add_word(c, asprintf(&words, "ARGS=-k \"%s\"", test) < 0 ? NULL : words, err);
}

/* The folder of a file that the command writes. */
static int make_folder_of(const char *file, struct rb_error *err)
{
	char *folder = strdup(file), *slash = folder ? strrchr(folder, '/') : NULL;
	int rc = folder ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

	if (slash && slash != folder) {
		*slash = '\0';
		if (store_make_folders(folder) != 0)
			rc = rb_fail(err, RB_EIO, "%.300s: %s", folder, strerror(errno));
	}
	free(folder);
	return rc;
}

static int make_folders(const struct call *c, struct rb_error *err)
{
	for (int i = 0; i + 1 < c->words; i++)
		if ((strcmp(c->word[i], "--json") == 0 || strcmp(c->word[i], "--out") == 0) &&
		    c->word[i + 1][0] != '-')
			RB_TRY(make_folder_of(c->word[i + 1], err));
	return c->target ? make_folder_of(c->target, err) : RB_OK;
}

static void execute(void *call)
{
	struct call *c = call;

	if (c->target && dup2(c->to.to.fd, STDOUT_FILENO) < 0)
		return;
	execvp(c->word[0], c->word);
	fprintf(stderr, "rollbench papers: %s: %s\n", c->word[0], strerror(errno));
}

/* The exit status, or a negative status. */
static int run_call(struct call *c, struct rb_error *err)
{
	/* reading the line has run something, too */
	const int status = child_signal() ? 128 + child_signal() : child_run(execute, c);

	return status >= 0 ? status
			   : rb_fail(err, RB_EIO, "%.300s: %s", c->word[0], strerror(errno));
}

/* 1 of a sweep says that runs are not ok, and of explain that recoveries differ: drawings say
 * which, or are drawn around them. */
static bool goes_on(const struct papers_item *item, int i, int status)
{
	static const char *const commands[] = { "./rollbench sweep ", "./rollbench explain " };
	bool known = false;

	for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
		known = known || strncmp(item->line[i], commands[k], strlen(commands[k])) == 0;
	return status == 0 || (status == 1 && !item->tests && known);
}

/* Standard output becomes a file that is written whole or not at all. */
static int run_to_file(const struct papers_item *item, int i, struct call *c, struct rb_error *err)
{
	int status;

	RB_TRY(record_open(&c->to, c->target, err));
	status = run_call(c, err);
	if (status >= 0 && goes_on(item, i, status)) {
		int rc = record_write(&c->to, "", 0, err); /* that was all */

		return rc != RB_OK || (rc = record_place(&c->to, err)) != RB_OK ? rc : status;
	}
	record_discard(&c->to);
	return status;
}

static int run_line(const struct papers_item *item, int i, struct rb_error *err)
{
	struct call c = { .to.to.fd = -1 };
	int rc = item->tests ? read_test(&c, item, item->line[i], err)
			     : read_line(&c, item, item->line[i], err);

	if (rc == RB_OK)
		rc = make_folders(&c, err);
	if (rc == RB_OK)
		rc = c.target ? run_to_file(item, i, &c, err) : run_call(&c, err);
	call_free(&c);
	return rc;
}

int papers_run(const struct papers_item *item, struct rb_error *err)
{
	int status = 0;

	for (int i = 0; i < item->lines; i++) {
		int one;

		printf("papers: %d of %d: ", i + 1, item->lines);
		say_line(item, i, stdout);
		one = run_line(item, i, err);
		if (one < 0)
			return one;
		if (child_signal()) /* whatever the command has made of it */
			return 128 + child_signal();
		if (!goes_on(item, i, one)) {
			fprintf(stderr, "papers: ended with exit status %d%s\n", one,
				one == BUDGET_SPENT
					? ": its budget is spent; the same command goes on"
				: one == STATUS_USAGE ? ": refused"
						      : "");
			return one;
		}
		status = status ? status : one;
	}
	return status;
}

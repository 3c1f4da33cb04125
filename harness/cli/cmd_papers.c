/* `rollbench papers`: `run` starts the commands of an item here; all else reads records, and is a
 * script in plots/. */
#include "base/child.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/options/command.h"
#include "harness/papers/papers_run.h"

#include <stdlib.h>
#include <string.h>

static const char items_in[] = "/plots/papers";

struct request {
	const char *item, *results;
	int profile;
	bool dry_run;
};

static const char *profile_word(int i)
{
	static const char *const words[] = { "laptop", "paper" };

	return i < 2 ? words[i] : NULL;
}

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(item) },
	{ "profile", "PROFILE", "laptop, or paper: the papers' own sizes", OPTION_WORD, AT(profile),
	  .word = profile_word, .standard = "laptop" },
	{ "results", "DIR", "folder of the results", OPTION_STRING, AT(results) },
	{ "dry-run", NULL, "print the commands and run nothing", OPTION_FLAG, AT(dry_run) },
	{ .name = NULL },
};

static const struct command command = { .usage = "", .own = own };

/* What the records say of the item now. Words of a command. */
static void judge(void *words)
{
	cmd_script(5, words);
}

/* Returns the exit status, or a negative status. */
static int run(const struct papers_item *item, struct rb_error *err)
{
	char *words[] = { "papers",
			  "verdict",
			  (char *)(uintptr_t)item->name,
			  "--results",
			  (char *)(uintptr_t)item->results,
			  NULL };
	const int status = papers_run(item, err);

	if (status >= 0 && status < 128)
		child_run(judge, words);
	return status;
}

/* Returns the exit status, or a negative status. */
static int find_and_run(const struct request *r, struct rb_error *err)
{
	const char *usual = r->profile ? "results/paper" : "results";
	char root[SPEC_PATH];
	struct papers_item item;
	int rc;

	if (!r->item)
		return rb_fail(err, RB_EINVAL,
			       "run: expected one item, for instance message-logging-kernels/fig7; "
			       "`rollbench papers list` names all");
	RB_TRY(script_find(items_in + strlen("/plots/"), root, err));
	root[strlen(root) - strlen(items_in)] = '\0';
	rc = papers_load(&item, r->item, profile_word(r->profile), root,
			 r->results ? r->results : usual, err);
	if (rc == RB_OK && r->dry_run)
		papers_say(&item, stdout);
	else if (rc == RB_OK)
		rc = run(&item, err);
	papers_free(&item);
	return rc;
}

int cmd_papers(int argc, char **argv)
{
	struct request r = { .item = NULL };
	struct rb_error err;
	int rc;

	if (argc < 2 || strcmp(argv[1], "run") != 0 || command_help_asked(argc, argv))
		return cmd_script(argc, argv);
	rc = command_parse(&command, argc - 1, argv + 1, NULL, &r, &err);
	if (rc == RB_OK)
		rc = find_and_run(&r, &err);
	return rc < 0 ? refused_status("papers", &err) : rc;
}

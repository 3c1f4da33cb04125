/* `rollbench papers`: `run` starts the commands of an item and `forecasts` computes what items ask
 * for, both here; all else reads records, and is a script in plots/. */
#include "base/child.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/cli/papers_forecasts.h"
#include "harness/options/command.h"
#include "harness/papers/papers_run.h"

#include <errno.h>
#include <limits.h>
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

static const char *results_of(const struct request *r)
{
	return r->results ? r->results : r->profile ? "results/paper" : "results";
}

/* As an absolute path without links: it stands in what is drawn. */
static int find_items(char folder[SPEC_PATH], struct rb_error *err)
{
	char found[SPEC_PATH], whole[PATH_MAX];

	RB_TRY(script_find(items_in + strlen("/plots/"), found, err));
	if (!realpath(found, whole) || snprintf(folder, SPEC_PATH, "%s", whole) >= SPEC_PATH)
		return rb_fail(err, RB_EIO, "%.300s: %s", found, strerror(errno));
	return RB_OK;
}

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
	int status;

	script_environment();
	status = papers_run(item, err);
	if (status < 0 || status >= 128)
		return status;
	child_run(judge, words);
	return status;
}

/* Returns the exit status, or a negative status. */
static int find_and_run(const struct request *r, struct rb_error *err)
{
	char folder[SPEC_PATH], root[SPEC_PATH];
	struct papers_item item;
	int rc;

	if (!r->item)
		return rb_fail(err, RB_EINVAL,
			       "run: expected one item, for instance message-logging-kernels/fig7; "
			       "`rollbench papers list` names all");
	RB_TRY(find_items(folder, err));
	snprintf(root, sizeof root, "%.*s", (int)(strlen(folder) - strlen(items_in)), folder);
	rc = papers_load(&item, r->item, profile_word(r->profile), root, results_of(r), err);
	if (rc == RB_OK && r->dry_run)
		papers_say(&item, stdout);
	else if (rc == RB_OK)
		rc = run(&item, err);
	papers_free(&item);
	return rc;
}

static int forecast(const struct request *r, struct rb_error *err)
{
	char folder[SPEC_PATH];

	if (r->item || r->dry_run)
		return rb_fail(err, RB_EINVAL, "forecasts: of all items; it takes --results only");
	RB_TRY(find_items(folder, err));
	return papers_forecasts(folder, results_of(r), err);
}

int cmd_papers(int argc, char **argv)
{
	const char *act = argc > 1 && !command_help_asked(argc, argv) ? argv[1] : "";
	const bool runs = strcmp(act, "run") == 0;
	struct request r = { .item = NULL };
	struct rb_error err;
	int rc;

	if (!runs && strcmp(act, "forecasts") != 0)
		return cmd_script(argc, argv);
	rc = command_parse(&command, argc - 1, argv + 1, NULL, &r, &err);
	if (rc == RB_OK)
		rc = (runs ? find_and_run : forecast)(&r, &err);
	return rc < 0 ? refused_status("papers", &err) : rc;
}

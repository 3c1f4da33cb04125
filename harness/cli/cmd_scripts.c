/* Commands that are scripts in plots/, started from here. */
#include "base/program.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/job/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where plots/ may be, relative to the folder of this program: in the checkout of a build, or
 * installed. */
static const char *const shares[] = { "/../..", "/..", "/../share/rollbench",
				      "/../../share/rollbench" };

static bool is_there(const char *share, const char *script, char path[SPEC_PATH])
{
	return snprintf(path, SPEC_PATH, "%s/plots/%s", share, script) < SPEC_PATH &&
	       access(path, R_OK) == 0;
}

/* The folder of this program, with links resolved; "" if /proc cannot tell it. */
static void own_folder(char out[SPEC_PATH])
{
	char *slash;

	program_path(out, SPEC_PATH);
	slash = strrchr(out, '/');
	if (slash)
		*slash = '\0';
}

int script_find(const char *script, char path[SPEC_PATH], struct rb_error *err)
{
	const char *asked = getenv("ROLLBENCH_SHARE");
	char own[SPEC_PATH], share[SPEC_PATH + 32];

	if (asked && asked[0])
		return is_there(asked, script, path)
			       ? RB_OK
			       : rb_fail(err, RB_EINVAL,
					 "ROLLBENCH_SHARE=%.300s: no plots/%s in it; it must name "
					 "a checkout or PREFIX/share/rollbench",
					 asked, script);
	own_folder(own);
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		snprintf(share, sizeof share, "%s%s", own, shares[i]);
		if (is_there(share, script, path))
			return RB_OK;
	}
	return rb_fail(
		err, RB_EINVAL,
		"plots/%s is not beside this program (%.300s); set ROLLBENCH_SHARE to a checkout "
		"or PREFIX/share/rollbench",
		script, own);
}

void script_environment(void)
{
	char program[SPEC_PATH];

	program_path(program, sizeof program);
	setenv("ROLLBENCH_PROGRAM", program, 1);   /* for scripts/bench of an item of a paper */
	setenv("PYTHONUTF8", "1", 1);              /* files and output, whatever the locale is */
	setenv("PYTHONDONTWRITEBYTECODE", "1", 1); /* write no files beside the results */
}

/* Execute the script with these arguments, the first of which is the command's name. Returns only
 * if that is not possible. */
static int execute(const char *script, int argc, char **argv, struct rb_error *err)
{
	char path[SPEC_PATH], **words = calloc((size_t)argc + 2, sizeof *words);
	int rc = words ? script_find(script, path, err) : rb_fail(err, RB_ENOMEM, "out of memory");

	if (rc == RB_OK) {
		/* what is left of it after exec: under nohup, hang-ups are ignored */
		launch_catch_signals();
		script_environment();
		words[0] = "python3";
		words[1] = path;
		memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
		execvp(words[0], words);
		rc = rb_fail(err, RB_EIO,
			     "python3: %s; install python3 and python3-matplotlib "
			     "(configs/packages.txt)",
			     strerror(errno));
	}
	free(words);
	return rc;
}

/* Commands that only read records, or let others make them: where in plots/ each lies. */
static const struct {
	const char *command, *script;
} scripts[] = {
	{ "watch", "report/watch.py" },   { "report", "report/report.py" },
	{ "export", "export/export.py" }, { "model", "models/model.py" },
	{ "papers", "claims/papers.py" },
};

int cmd_script(int argc, char **argv)
{
	struct rb_error err;
	size_t i = 0;

	while (strcmp(argv[0], scripts[i].command) !=
	       0) /* main() calls it for these commands only */
		i++;
	execute(scripts[i].script, argc, argv, &err);
	return refused_status(argv[0], &err);
}

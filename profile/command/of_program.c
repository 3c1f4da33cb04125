/* The profile of any MPI program: it is run with a library that counts (profile/preload). */
#include "base/child.h"
#include "base/program.h"
#include "base/replacement.h"
#include "base/status.h"
#include "profile/command/request.h"
#include "profile/command/spills.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "librollbench_profile.so"

struct target {
	char out[SPEC_PATH];    /* the profile, as an absolute path */
	char folder[SPEC_PATH]; /* that the processes write into, see spills.h */
	char plain[SPEC_PATH];  /* the profile that they write there, not compressed */
	char library[SPEC_PATH];
};

/* It is beside this program, unless the environment says otherwise. */
static int find_library(struct target *t, struct rb_error *err)
{
	const char *asked = getenv("ROLLBENCH_PROFILE_LIBRARY"), *slash;
	size_t n;

	program_path(t->library, sizeof t->library);
	slash = strrchr(t->library, '/');
	n = slash ? (size_t)(slash + 1 - t->library) : 0;
	if (asked && asked[0])
		snprintf(t->library, sizeof t->library, "%s", asked);
	else
		snprintf(t->library + n, sizeof t->library - n, LIBRARY);
	if (access(t->library, R_OK) != 0)
		return rb_fail(err, RB_EIO,
			       "%.300s: %s; `make` builds it beside rollbench, and "
			       "ROLLBENCH_PROFILE_LIBRARY can name another one",
			       t->library, strerror(errno));
	return RB_OK;
}

static int find_target(struct target *t, const char *out, struct rb_error *err)
{
	char folder[SPEC_PATH] = "";

	if (strcmp(out, "-") == 0)
		return rb_fail(err, RB_EINVAL, "--out -: the processes of a program need a file");
	if (out[0] != '/' && !getcwd(folder, sizeof folder))
		return rb_fail(err, RB_EIO, "the working folder: %s", strerror(errno));
	if (snprintf(t->out, sizeof t->out, "%s%s%s", folder, folder[0] ? "/" : "", out) >=
	    (int)sizeof t->out)
		return rb_fail(err, RB_EINVAL, "--out %.60s...: the path is too long", out);
	return find_library(t, err);
}

static int name_plain(struct target *t, struct rb_error *err)
{
	if (snprintf(t->plain, sizeof t->plain, "%s/" PROFILE_NAME, t->folder) <
	    (int)sizeof t->plain)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "--out %.60s...: the path is too long", t->out);
}

/* The dynamic linker splits LD_PRELOAD at blanks and colons, so a library with such a path gets a
 * link in the folder of this run, which all processes see. */
static int make_preloadable(struct target *t, struct rb_error *err)
{
	static const char splits[] = " \t\n:";
	char *library;
	int rc = RB_OK;

	if (!strpbrk(t->library, splits))
		return RB_OK;
	if (strpbrk(t->folder, splits))
		return rb_fail(err, RB_EINVAL,
			       "%.150s: a library in a folder with a blank or a colon cannot be "
			       "preloaded, nor a link to it beside --out; name FILE or, by "
			       "ROLLBENCH_PROFILE_LIBRARY, a copy of the library elsewhere",
			       t->library);
	library = realpath(t->library, NULL); /* the link is in another folder */
	if (snprintf(t->library, sizeof t->library, "%s/" LIBRARY, t->folder) >=
		    (int)sizeof t->library ||
	    !library || symlink(library, t->library) != 0)
		rc = rb_fail(err, RB_EIO, "%.300s: %s", t->library, strerror(errno));
	free(library);
	return rc;
}

static int prepare(struct target *t, struct rb_error *err)
{
	int rc;

	if (replacement_probe(t->out) != 0)
		return rb_fail(err, RB_EIO, "--out %.300s: %s", t->out, strerror(errno));
	RB_TRY(spills_folder(t->folder, sizeof t->folder, t->out, err));
	rc = name_plain(t, err);
	if (rc == RB_OK)
		rc = make_preloadable(t, err);
	if (rc != RB_OK)
		rmdir(t->folder);
	return rc;
}

/* What is executed, and by which words. */
struct called {
	const struct target *t;
	char **words;
};

static void execute(void *called)
{
	const struct target *t = ((struct called *)called)->t;
	char **words = ((struct called *)called)->words;
	const char *others = getenv("LD_PRELOAD");
	char preload[2 * SPEC_PATH];

	if (snprintf(preload, sizeof preload, "%s%s%s", t->library, others && others[0] ? ":" : "",
		     others ? others : "") >= (int)sizeof preload) {
		fprintf(stderr, "rollbench profile: LD_PRELOAD is too long\n");
		return;
	}
	signal(SIGXFSZ, SIG_DFL); /* as the command would have it without us */
	setenv("LD_PRELOAD", preload, 1);
	setenv("ROLLBENCH_PROFILE", t->plain, 1);
	/* a run of ours measures the network by messages that are not the program's */
	setenv("ROLLBENCH_NO_PING", "1", 1);
	execvp(words[0], words);
	fprintf(stderr, "rollbench profile: %s: %s\n", words[0], strerror(errno));
}

static void say(const struct profile *p, const char *path)
{
	int64_t count = 0, bytes = 0;

	for (size_t i = 0; i < p->channels; i++) {
		count += p->channel[i].count;
		bytes += p->channel[i].bytes;
	}
	fprintf(stderr, "profile: %s: %d ranks, %lld messages, %lld bytes%s%s\n", path, p->np,
		(long long)count, (long long)bytes, p->incomplete ? "; incomplete: " : "",
		p->incomplete ? p->incomplete : "");
}

/* Read what the processes have written, and bring it under its name. */
static int collect(const struct target *t, char **words, struct rb_error *err)
{
	struct profile p;
	int rc;

	if (access(t->plain, F_OK) == 0)
		rc = profile_read(&p, t->plain, 0, err);
	else if ((rc = spills_read(&p, t->folder, err)) == RB_OK &&
		 profile_set_command(&p, words[0], words + 1) != RB_OK)
		rc = rb_fail(err, RB_ENOMEM, "out of memory");
	if (rc == RB_OK)
		rc = profile_write(&p, t->out, err);
	if (rc == RB_OK)
		say(&p, t->out);
	profile_free(&p);
	return rc;
}

int profile_program(const struct request *r, char **words, struct rb_error *err)
{
	struct rb_error why;
	struct target t;
	int status, rc;

	RB_TRY(find_target(&t, r->out, err));
	RB_TRY(prepare(&t, err));
	/* What ends the command is its business: what it has left until then is kept. */
	status = child_run(execute, &(struct called){ &t, words });
	if (status < 0) {
		rc = rb_fail(err, RB_EIO, "%.100s: %s", words[0], strerror(errno));
		spills_remove(t.folder, &why);
		return rc;
	}
	rc = collect(&t, words, &why);
	if (rc == RB_OK)
		return spills_remove(t.folder, err) == RB_OK ? status : RB_EIO;
	if (access(t.plain, F_OK) == 0 || spills_any(t.folder)) {
		rb_fail(err, rc, "%s (the command's exit status was %d; what was counted is in %s)",
			why.text, status, t.folder);
	} else {
		RB_TRY(spills_remove(t.folder, err));
		rb_fail(err, rc, "%s (the command's exit status was %d)", why.text, status);
	}
	if (status == 0)
		return rc;
	fprintf(stderr, "rollbench profile: %s\n", err->text); /* the status is the command's */
	return status;
}

#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/spec/command.h"
#include "harness/store/store_verify.h"

#include <string.h>
#include <sys/stat.h>

enum { FOLDERS = 256 };

struct request {
	const char *what, *dir[FOLDERS];
	int dirs;
	enum store_prefer prefer;
};

/* The first argument says what to do, the others are folders. */
static int set_argument(void *request, const char *text, struct rb_error *err)
{
	struct request *r = request;

	if (r->dirs == FOLDERS)
		return rb_fail(err, RB_EINVAL, "%s: at most %d folders", text, FOLDERS);
	if (r->what)
		r->dir[r->dirs++] = text;
	else
		r->what = text;
	return RB_OK;
}

static const char *prefer_word(int i)
{
	static const char *const words[] = { "into", "from", NULL };

	return words[i];
}

static const struct option own[] = {
	{ .name = "", .type = OPTION_OWN, .set = set_argument },
	{ .name = "prefer", .value = "SIDE", .type = OPTION_WORD, .at = offsetof(struct request, prefer),
	  .least = PREFER_INTO, .word = prefer_word },
	{ .name = NULL },
};

static const struct command command = {
	.usage = "usage: rollbench store verify DIR\n"
		 "       rollbench store merge INTO FROM ... [--prefer into|from]\n"
		 "       rollbench store overhead DIR ...\n"
		 "\n"
		 "Check, merge or time the results folders of sweeps (docs/experiments.md).\n"
		 "\n"
		 "  verify    name every record that is missing, changed or not in the manifest, and every\n"
		 "            comparison with a failure-free run that is out of date\n"
		 "  merge     put partial results of one experiment, from several machines, into one folder,\n"
		 "            which is made if necessary. Equal records are kept once. Of two different\n"
		 "            records of one run, the one in INTO stays and the other is put into INTO/conflicts;\n"
		 "            with --prefer the record of that side stays and the other is left out. Records of\n"
		 "            other experiments are refused, and records of INTO that were changed are set aside.\n"
		 "            After an interruption, the same command continues\n"
		 "  overhead  print the seconds that the harness took outside mpirun\n",
	.own = own,
	.notes = "\n"
		 "exit status: 0 nothing is wrong, 1 something was named, 2 bad input or a folder that cannot be\n"
		 "read or written\n",
};

static int verify(const struct request *r, struct rb_error *err)
{
	struct store_verdict v = { 0 };
	struct store s;
	int rc = store_open_to_read(&s, r->dir[0], err);

	if (rc == RB_OK)
		rc = store_verify(&s, &v, stdout, err);
	store_close(&s);
	if (rc != RB_OK)
		return refused_status("store verify", err);
	printf("%zu records as written, %zu things wrong", v.sound, v.bad);
	if (v.open > 0)
		printf("; %zu of the sweep's %zu runs have no record yet", v.open, v.runs);
	printf("\n");
	return v.bad > 0 ? STATUS_WRONG : 0;
}

static int add_overhead(const char *dir, struct store_overhead *sum, struct rb_error *err)
{
	struct store_overhead one = { 0 };
	struct store s;
	int rc = store_open_to_read(&s, dir, err);

	if (rc == RB_OK && !s.manifest.there)
		rc = rb_fail(err, RB_EINVAL, "%s: there is no manifest; expected the results folder of a "
			     "sweep", dir);
	if (rc == RB_OK) {
		store_overhead(&s, &one);
		store_overhead(&s, sum);
		printf("%s: ", dir);
		store_say_overhead(&one, stdout);
	}
	store_close(&s);
	return rc;
}

static int overhead(const struct request *r, struct rb_error *err)
{
	struct store_overhead sum = { 0 };

	for (int i = 0; i < r->dirs; i++)
		if (add_overhead(r->dir[i], &sum, err) != RB_OK)
			return refused_status("store overhead", err);
	if (r->dirs > 1) {
		printf("all: ");
		store_say_overhead(&sum, stdout);
	}
	return 0;
}

static bool same_folder(const char *a, const char *b)
{
	struct stat one, other;

	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* All must be of one experiment before anything is merged: INTO's, or the first's if INTO is new. */
static int check_all(const struct request *r, const struct store *into, struct rb_error *err)
{
	struct store first, from;
	int rc = store_open_to_read(&first, r->dir[1], err);

	if (rc == RB_OK)
		rc = store_merge_check(into, &first, err);
	for (int i = 2; rc == RB_OK && i < r->dirs; i++) {
		rc = store_open_to_read(&from, r->dir[i], err);
		if (rc == RB_OK)
			rc = store_merge_check(store_is_new(into) ? &first : into, &from, err);
		store_close(&from);
	}
	store_close(&first);
	return rc;
}

static int merge_from(struct store *into, const char *dir, struct store_merge *m,
		      struct rb_error *err)
{
	struct store from;
	int rc = store_open_to_read(&from, dir, err);

	if (rc == RB_OK)
		rc = store_merge(into, &from, m, stdout, err);
	store_close(&from);
	return rc;
}

static int merge(const struct request *r, struct rb_error *err)
{
	struct store_merge m = { .prefer = r->prefer };
	struct store into;
	int rc;

	for (int i = 1; i < r->dirs; i++)
		if (same_folder(r->dir[0], r->dir[i])) {
			rb_fail(err, RB_EINVAL, "%s: cannot be merged into itself", r->dir[i]);
			return refused_status("store merge", err);
		}
	rc = store_open(&into, r->dir[0], err);
	if (rc == RB_OK)
		rc = check_all(r, &into, err);
	for (int i = 1; rc == RB_OK && i < r->dirs; i++)
		rc = merge_from(&into, r->dir[i], &m, err);
	store_close(&into);
	if (rc != RB_OK)
		return refused_status("store merge", err);
	printf("%zu records added, %zu were there, %zu conflicts, %zu refused", m.added, m.equal,
	       m.conflicts, m.refused);
	if (m.changed > 0)
		printf("; %zu of %s were not what was written", m.changed, r->dir[0]);
	printf("\n");
	return m.refused > 0 || m.changed > 0 || (m.conflicts > 0 && m.prefer == PREFER_NEITHER) ? STATUS_WRONG : 0;
}

static const struct {
	const char *name;
	int least, most; /* folders */
	int (*run)(const struct request *r, struct rb_error *err);
} acts[] = {
	{ "verify", 1, 1, verify },
	{ "merge", 2, FOLDERS, merge },
	{ "overhead", 1, FOLDERS, overhead },
};

int cmd_store(int argc, char **argv)
{
	struct request r = { 0 };
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, NULL, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && r.prefer != PREFER_NEITHER && (!r.what || strcmp(r.what, "merge") != 0))
		rc = rb_fail(&err, RB_EINVAL, "--prefer: only with merge");
	if (rc != RB_OK)
		return refused_status("store", &err);
	r.what = r.what ? r.what : "";
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
		if (strcmp(acts[i].name, r.what) != 0)
			continue;
		if (r.dirs >= acts[i].least && r.dirs <= acts[i].most)
			return acts[i].run(&r, &err);
		rb_fail(&err, RB_EINVAL, "%s: expected %s; see --help", r.what,
			acts[i].least > 1 ? "a folder to merge into and others to merge from" :
					    "one folder of results");
		return refused_status("store", &err);
	}
	rb_fail(&err, RB_EINVAL, "%s%sexpected verify, merge or overhead; see --help", r.what,
		*r.what ? ": " : "");
	return refused_status("store", &err);
}

#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/options/command.h"
#include "harness/store/merge.h"
#include "harness/store/verify.h"

#include <stdlib.h>
#include <string.h>

struct request {
	char **words; /* what to do, then folders */
	size_t count;
	enum merge_prefer prefer;
};

static const char *prefer_word(int i)
{
	static const char *const words[] = { [MERGE_INTO] = "into", [MERGE_FROM] = "from" };

	return i >= 0 && i < (int)(sizeof words / sizeof *words) ? words[i] : NULL;
}

static int add_word(void *base, const char *text, struct rb_error *err)
{
	struct request *r = base;

	(void)err;
	r->words[r->count++] = (char *)text;
	return RB_OK;
}

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_OWN, .set = add_word },
	{ "prefer", "SIDE",
	  "merge: of two different records of one run, the one of this side (into or from) stays, "
	  "and the other is left out",
	  OPTION_WORD, .at = offsetof(struct request, prefer), .word = prefer_word },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench store verify DIR\n"
		"       rollbench store merge INTO FROM ... [--prefer SIDE]\n"
		"       rollbench store overhead DIR ...\n"
		"\n"
		"Check, merge or time the results folders of sweeps (docs/experiments.md).\n"
		"\n"
		"  verify    name every record that is missing, changed or not in the manifest, and every\n"
		"            comparison with a failure-free run that is out of date\n"
		"  merge     put partial results of one experiment, from several machines, into one folder,\n"
		"            which is made if necessary. Equal records are kept once. Of two different\n"
		"            records of one run, the one in INTO stays and the other is put into\n"
		"            INTO/conflicts. Records of FROM that were changed are refused, and records of\n"
		"            INTO that were changed are set aside. After an interruption, the same command\n"
		"            continues\n"
		"  overhead  print the seconds that the harness took outside mpirun\n"
		"\n",
	.own = own,
	.notes =
		"\n"
		"exit status: 0 nothing is wrong, 1 something was named, 2 bad input or a folder that "
		"cannot\n"
		"be read or written\n",
};

static int verify(char *const *dirs, size_t count, const struct request *r, struct rb_error *err)
{
	size_t wrong;

	(void)count;
	(void)r;
	RB_TRY(store_verify(dirs[0], &wrong, err));
	return wrong > 0 ? STATUS_WRONG : 0;
}

static int merge(char *const *dirs, size_t count, const struct request *r, struct rb_error *err)
{
	struct merge_counts n;

	RB_TRY(store_merge(dirs[0], dirs + 1, count - 1, r->prefer, &n, err));
	printf("%zu records added, %zu were there, %zu conflicts, %zu refused", n.added, n.equal,
	       n.conflicts, n.refused);
	if (n.changed > 0)
		printf("; %zu of %s were not what was written", n.changed, dirs[0]);
	putchar('\n');
	return n.refused > 0 || n.changed > 0 || (n.conflicts > 0 && r->prefer == MERGE_BOTH)
		       ? STATUS_WRONG
		       : 0;
}

/* Add what one folder took to that of all. */
static int add_overhead(const char *dir, struct store_overhead *all, struct rb_error *err)
{
	struct store_overhead one = { .runs = 0 };
	struct store s;
	int rc = store_open_listed(&s, dir, err);

	if (rc == RB_OK) {
		manifest_say_damage(&s.manifest, stderr);
		store_add_overhead(&s, &one);
		store_add_overhead(&s, all);
		printf("%s: ", dir);
		store_say_overhead(&one, stdout);
	}
	store_close(&s);
	return rc;
}

static int overhead(char *const *dirs, size_t count, const struct request *r, struct rb_error *err)
{
	struct store_overhead all = { .runs = 0 };

	(void)r;
	for (size_t i = 0; i < count; i++)
		RB_TRY(add_overhead(dirs[i], &all, err));
	if (count > 1) {
		printf("all: ");
		store_say_overhead(&all, stdout);
	}
	return 0;
}

static const struct act {
	const char *name, *takes;
	size_t least, most; /* folders */
	int (*run)(char *const *dirs, size_t count, const struct request *r, struct rb_error *err);
} acts[] = {
	{ "verify", "one folder of results", 1, 1, verify },
	{ "merge", "a folder to merge into and others to merge from", 2, SIZE_MAX, merge },
	{ "overhead", "one folder of results, or more", 1, SIZE_MAX, overhead },
};

static const struct act *find_act(const char *name)
{
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (strcmp(acts[i].name, name) == 0)
			return &acts[i];
	return NULL;
}

static int check(const struct request *r, const struct act *act, struct rb_error *err)
{
	const char *name = r->count > 0 ? r->words[0] : "";

	if (!act)
		return rb_fail(err, RB_EINVAL,
			       "%.100s%sexpected verify, merge or overhead; see --help", name,
			       name[0] ? ": " : "");
	if (r->prefer != MERGE_BOTH && act->run != merge)
		return rb_fail(err, RB_EINVAL, "--prefer: only with merge");
	if (r->count - 1 < act->least || r->count - 1 > act->most)
		return rb_fail(err, RB_EINVAL, "expected %s; see --help", act->takes);
	return RB_OK;
}

int cmd_store(int argc, char **argv)
{
	struct request r = { .words = calloc((size_t)argc, sizeof *r.words), .prefer = MERGE_BOTH };
	const struct act *act = NULL;
	struct rb_error err;
	char name[32];
	int rc = r.words ? command_parse(&command, argc, argv, NULL, &r, &err)
			 : rb_fail(&err, RB_ENOMEM, "out of memory");

	if (rc == RB_OK) {
		act = r.count > 0 ? find_act(r.words[0]) : NULL;
		rc = check(&r, act, &err);
	}
	if (rc == RB_OK)
		rc = act->run(r.words + 1, r.count - 1, &r, &err);
	else if (rc == 1) /* --help */
		rc = 0;
	free(r.words);
	if (rc >= 0)
		return rc;
	fflush(stdout);
	snprintf(name, sizeof name, "store%s%s", act ? " " : "", act ? act->name : "");
	return refused_status(name, &err);
}

#include "forecast/study/study.h"

#include "base/status.h"
#include "base/text.h"
#include "harness/options/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int add_file(void *base, const char *text, struct rb_error *err)
{
	struct study *s = base;

	if (s->files == STUDY_FILES)
		return rb_fail(err, RB_EINVAL, "%.200s: at most %d files", text, STUDY_FILES);
	s->file[s->files++] = text;
	return RB_OK;
}

/* Call add() for each word of a list with commas. */
static int each(struct study *s, const char *text,
		int (*add)(struct study *, const char *, struct rb_error *), struct rb_error *err)
{
	char copy[1024], *next = copy, *word;
	int rc = RB_OK;

	if (strlen(text) >= sizeof copy)
		return rb_fail(err, RB_EINVAL, "%.40s...: the list is too long", text);
	strcpy(copy, text);
	while (rc == RB_OK && (word = strsep(&next, ",")))
		rc = add(s, word, err);
	return rc;
}

static int add_theta(struct study *s, const char *text, struct rb_error *err)
{
	const char *at = text;
	double theta;

	if (!text_real(&at, &theta) || *at || theta > 100)
		return rb_fail(err, RB_EINVAL,
			       "--caps %.60s: expected percents from 0 to 100, separated by commas",
			       text);
	if (s->thetas == STUDY_CAPS)
		return rb_fail(err, RB_EINVAL, "--caps: at most %d", STUDY_CAPS);
	s->theta[s->thetas++] = theta;
	return RB_OK;
}

static int add_strategy(struct study *s, const char *text, struct rb_error *err)
{
	if (s->strategies == STUDY_STRATEGIES)
		return rb_fail(err, RB_EINVAL, "--strategy: at most %d", STUDY_STRATEGIES);
	return strategy_parse(&s->strategy[s->strategies++], text, err);
}

static int add_cluster(struct study *s, const char *text, struct rb_error *err)
{
	int64_t ranks;

	if (!text_integer(text, 1, INT_MAX, &ranks))
		return rb_fail(err, RB_EINVAL,
			       "--clusters %.60s: expected numbers of ranks, separated by commas",
			       text);
	if (s->clusters == STUDY_CLUSTERS)
		return rb_fail(err, RB_EINVAL, "--clusters: at most %d", STUDY_CLUSTERS);
	s->cluster[s->clusters++] = (int)ranks;
	return RB_OK;
}

static int set_caps(void *base, const char *text, struct rb_error *err)
{
	struct study *s = base;

	s->thetas = 0;
	s->caps_asked = true;
	return each(s, text, add_theta, err);
}

static int set_strategies(void *base, const char *text, struct rb_error *err)
{
	struct study *s = base;

	s->strategies = 0;
	s->caps_asked = true;
	return each(s, text, add_strategy, err);
}

static int set_clusters(void *base, const char *text, struct rb_error *err)
{
	struct study *s = base;

	s->clusters = 0;
	return each(s, text, add_cluster, err);
}

static int set_iterations(void *base, const char *text, struct rb_error *err)
{
	return iteration_range_parse(&((struct study *)base)->iterations, text, err);
}

#define AT(member) .at = offsetof(struct study, member)

static const char standard_caps[] = "30,40,50,60,70",
		  standard_strategies[] = "heaviest,clusters,dendrogram,teams:8";

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_OWN, .set = add_file },
	{ "caps", "LIST",
	  "caps on the log of a rank, percent of the largest log that a rank has if everything is "
	  "logged (default 30,40,50,60,70)",
	  OPTION_OWN, .set = set_caps },
	{ "strategy", "LIST",
	  "the order in which a rank stops logging channels: heaviest, clusters, clusters:whole, "
	  "dendrogram, dendrogram:whole, online, online:reset; of a kernel also budget, "
	  "budget:clusters, budget:online, budget:online:kept, the policies of a run; or teams:N, "
	  "without a cap (default heaviest,clusters,dendrogram,teams:8)",
	  OPTION_OWN, .set = set_strategies },
	{ "iterations", "N|A..B",
	  "of a kernel: the first N iterations, or those from A to B (default: all). For budget "
	  "they are the interval between two checkpoints, at whose end a role dies",
	  OPTION_OWN, .set = set_iterations },
	{ "self-messages", NULL, "of a kernel: as for `rollbench profile`", OPTION_FLAG,
	  AT(copies) },
	{ "clusters", "LIST",
	  "sizes of the clusters of consecutive ranks whose coverage is printed (default "
	  "2,4,8, ...)",
	  OPTION_OWN, .set = set_clusters },
	{ "phase", "N", "messages of this phase only (default: of all)", OPTION_LONG, AT(phase),
	  .least = 0, .most = INT32_MAX },
	{ "victims", "N",
	  "ranks for the mean length of the chain, drawn at random if there are more (default: all "
	  "of up to 16384, else 64); the mean set is of all ranks always",
	  OPTION_INT, AT(victims), .least = 1, .most = INT_MAX },
	{ "victims-seed", "N", "of that draw", OPTION_LONG, AT(seed), .least = 0, .most = INT64_MAX,
	  .standard = "1" },
	{ "intervals", "N", "of online: intervals between checkpoints that the messages are of",
	  OPTION_INT, AT(timing.intervals), .least = 1, .most = 1000, .standard = "2" },
	{ "rounds", "N", "of online: equal shares in which an interval's bytes are sent",
	  OPTION_INT, AT(timing.rounds), .least = 1, .most = 100000, .standard = "100" },
	{ "matrix-cells", "N",
	  "have the record contain the exchange matrix in at most N x N cells, and the load of "
	  "each rank",
	  OPTION_INT, AT(cells), .least = 1, .most = STUDY_CELLS_MAX },
	{ "sets", NULL,
	  "have the record contain the rollback set of each victim, for each strategy and cap",
	  OPTION_FLAG, AT(sets) },
	{ "records", "PATH",
	  "study the kernels of the runs at PATH, a folder of records, that were under "
	  "budget:PERCENT% and in which a role died at the end of an interval: that interval, "
	  "with their caps and policies, and with --sets",
	  OPTION_STRING, AT(records) },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ .name = NULL },
};

static const char usage[] =
	"usage: rollbench study FILE ... [OPTION ...]\n"
	"       rollbench study KERNEL [OPTION ...]\n"
	"       rollbench study --records PATH [OPTION ...]\n"
	"\n"
	"Say what a program's profile means for message logging (docs/study.md): how much of the traffic stays\n"
	"within clusters of ranks, how unequal the ranks' shares are (Gini index), and, if the log of a rank has\n"
	"a cap, how many ranks roll back with a victim and how long the rollback chain is, on average over all\n"
	"victims (memory-constrained-logging paper, Sect. III to V). Nothing is run. FILE: from `rollbench profile`.\n"
	"A kernel is profiled first, from its pattern. A file with the name of a kernel is given as ./NAME.\n"
	"\n";
static const char notes[] = "\nexit status: 0 ok, 2 usage or a file that is refused\n";

static const struct command of_files = { .usage = usage, .own = own, .notes = notes };
static const struct command of_kernel = {
	.usage = usage, .options = FOR_PROFILE, .kernel = true, .own = own, .notes = notes
};

/* Only a kernel has a pattern, by which `budget` is played. */
static int check_strategies(const struct study *s, struct rb_error *err)
{
	for (int i = 0; i < s->strategies; i++) {
		if (s->strategy[i].kind != STRATEGY_BUDGET)
			continue;
		if (!s->of_kernel)
			return rb_fail(
				err, RB_EINVAL,
				"--strategy %s: a profile does not say in which order messages are "
				"sent; give the kernel in its place: rollbench study KERNEL",
				s->strategy[i].name);
		for (int k = 0; k < s->thetas; k++)
			if (!(s->theta[k] > 0))
				return rb_fail(
					err, RB_EINVAL,
					"--caps %g with --strategy %s: expected more than 0 %%",
					s->theta[k], s->strategy[i].name);
	}
	return RB_OK;
}

static int check(const struct study *s, struct rb_error *err)
{
	if (s->of_kernel && s->files > 0)
		return rb_fail(err, RB_EINVAL, "%.200s: expected a kernel or files, not both",
			       s->file[0]);
	if (s->of_kernel && s->phase >= 0)
		return rb_fail(
			err, RB_EINVAL,
			"--phase: a kernel has one phase only; --iterations selects some of its "
			"iterations");
	if (s->records && (s->of_kernel || s->files > 0 || s->caps_asked || s->phase >= 0 ||
			   s->iterations.to > 0))
		return rb_fail(
			err, RB_EINVAL,
			"--records: without a kernel, files, --caps, --strategy, --phase and "
			"--iterations; the records say what is studied");
	if (!s->of_kernel && !s->records && s->files == 0)
		return rb_fail(err, RB_EINVAL,
			       "expected a profile, which `rollbench profile` makes, or a kernel; "
			       "see --help");
	if (!s->of_kernel && !s->records && (s->iterations.to > 0 || s->copies))
		return rb_fail(
			err, RB_EINVAL,
			"--iterations, --self-messages: these are for a kernel; a profile is "
			"studied as it is");
	return check_strategies(s, err);
}

int study_parse(struct study *s, int argc, char **argv, struct rb_error *err)
{
	int rc;

	*s = (struct study){ .phase = -1, .seed = 1, .timing = { 2, 100 }, .words = argv + 1 };
	s->of_kernel = argc > 1 && kernel_find(argv[1]);
	RB_TRY(set_caps(s, standard_caps, err));
	RB_TRY(set_strategies(s, standard_strategies, err));
	s->caps_asked = false;
	/* --help tells of the options of kernels, too. */
	if (s->of_kernel || command_help_asked(argc, argv))
		rc = command_parse(&of_kernel, argc, argv, &s->spec, s, err);
	else
		rc = command_parse(&of_files, argc, argv, NULL, s, err);
	return rc == RB_OK ? check(s, err) : rc;
}

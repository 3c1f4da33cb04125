#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/model/energy_model.h"
#include "harness/model/model_record.h"
#include "harness/spec/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: rollbench model energy [OPTION ...]\n"
	"\n"
	"From which share of rework on local rollback saves energy against global rollback: the model of\n"
	"the power-log-n-roll paper (Sect. 8, Eq. 1 to 3), without running anything (docs/energy.md).\n"
	"\n"
	"  --lambda X        share of full speed under message logging (default 0.98)\n"
	"  --mu X            local recovery is X times as fast as global recovery (default 1)\n"
	"  --c X             power in local recovery / power in computing (default 0.75)\n"
	"  --record FILE     a record of `rollbench run`; repeatable. Measures lambda in a duel under the\n"
	"                    policy all, mu where one role died and only that one rolled back, and C\n"
	"                    where roles waited with --power and energy was measured; the options\n"
	"                    above take precedence\n"
	"  --solve S         seconds of computing without failures, under global rollback\n"
	"  --rework S        seconds in which global rollback repeats what was lost\n"
	"  --watts W         power while computing; without it energies are relative to it and --solve\n"
	"  --json            print JSON\n"
	"  --help            this text\n";

enum range { SHARE, POSITIVE, NOT_NEGATIVE };
enum { LAMBDA, MU, C, SOLVE, REWORK, WATTS, VALUES, PARAMETERS = SOLVE, HOW = 512 };

static const struct {
	const char *name, *word, *assumed;
	enum range range;
	double value;
} options[VALUES] = {
	[LAMBDA] = { "lambda", "lambda", "the paper's", SHARE, 0.98 },
	[MU] = { "mu", "mu", "local recovery is no faster", POSITIVE, 1 },
	[C] = { "c", "C", "the paper's", SHARE, 0.75 },
	[SOLVE] = { .name = "solve", .range = NOT_NEGATIVE },
	[REWORK] = { .name = "rework", .range = NOT_NEGATIVE },
	[WATTS] = { .name = "watts", .range = POSITIVE },
};

static const struct energy_model paper[] = { { 0.98, 1, 0.75 }, { 0.98, 2, 0.75 } };

static const char quoted[] =
	"(1 - lambda) / (mu (1 - C)): the 8 % of mu = 1 divided by mu, with 0.02 for (1 - lambda) / lambda";
static const char left_out[] = "dump and restart, taken as equal on both sides, are left out";

enum source { ASSUMED, GIVEN, MEASURED };
static const char *const source_name[] = { "assumed", "given", "measured" };

struct request {
	double value[VALUES];
	enum source source[VALUES];
	char how[PARAMETERS][HOW + 128]; /* where a parameter comes from */
	struct model_records records;
	bool recorded, json;
};

static bool within(enum range range, double x)
{
	return isfinite(x) && (range == NOT_NEGATIVE ? x >= 0 : x > 0 && (range != SHARE || x <= 1));
}

static int take_number(struct request *r, int which, struct options *o, struct rb_error *err)
{
	static const char *const expected[] = { "above 0 and at most 1", "above 0",
						"of at least 0" };
	const char *text = NULL;
	double x;
	char *end;

	RB_TRY(options_value(o, &text, err));
	x = strtod(text, &end);
	if (end == text || *end || !within(options[which].range, x))
		return rb_fail(err, RB_EINVAL, "--%s %s: expected a number %s", o->name, text,
			       expected[options[which].range]);
	r->value[which] = x;
	r->source[which] = GIVEN;
	return RB_OK;
}

static int take(struct request *r, struct options *o, struct rb_error *err)
{
	const char *path = NULL;

	for (int i = 0; i < VALUES; i++)
		if (strcmp(o->name, options[i].name) == 0)
			return take_number(r, i, o, err);
	if (strcmp(o->name, "json") == 0 && !o->value) {
		r->json = true;
		return RB_OK;
	}
	if (strcmp(o->name, "record") != 0)
		return rb_fail(err, RB_EINVAL, "%s%s: unexpected argument", o->name[0] ? "--" : "",
			       o->name[0] ? o->name : o->value);
	RB_TRY(options_value(o, &path, err));
	r->recorded = true;
	return model_record_add(&r->records, path, err);
}

/* Seconds and watts are of one run: all of it or nothing. */
static int check_load(const struct request *r, struct rb_error *err)
{
	bool solve = r->source[SOLVE] == GIVEN, rework = r->source[REWORK] == GIVEN;
	bool watts = r->source[WATTS] == GIVEN;

	if ((solve || rework || watts) && !(solve && rework))
		return rb_fail(err, RB_EINVAL, "--%s: is missing; --solve and --rework belong together%s",
			       solve ? "rework" : "solve", watts ? ", and --watts needs both" : "");
	if (solve && !watts && r->value[SOLVE] == 0)
		return rb_fail(err, RB_EINVAL, "--solve 0: nothing to relate energies to; give --watts");
	return RB_OK;
}

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	struct options o = { argc, argv, 2, "", NULL };

	if (options_help(argc, argv))
		return 1;
	if (argc < 2 || strcmp(argv[1], "energy") != 0)
		return rb_fail(err, RB_EINVAL, "%s%sexpected what to model: energy",
			       argc > 1 ? argv[1] : "", argc > 1 ? ": " : "");
	for (int i = 0; i < VALUES; i++)
		r->value[i] = options[i].value;
	while (options_next(&o))
		RB_TRY(take(r, &o, err));
	return check_load(r, err);
}

/* "median (n = 40) of pairs of blocks of duels in FILE (cg, 8 roles)" */
static void say_samples(const struct request *r, const struct model_samples *s, const char *what,
			char out[HOW])
{
	char files[MODEL_FROM + 32];

	if (s->records == 1)
		snprintf(files, sizeof files, "%s", s->from);
	else
		snprintf(files, sizeof files, "%zu records", s->records);
	snprintf(out, HOW, "median (n = %zu) of %s in %s (%s, %d roles)", s->count, what, files,
		 r->records.kernel, (int)r->records.np);
}

/* A median from records. Noise can make logging look faster than no logging; the model has no meaning
 * there. */
static void measure(struct request *r, int which, struct model_samples *s, const char *what)
{
	double x = s->count ? model_samples_median(s) : 0;
	char source[HOW];

	say_samples(r, s, what, source);
	if (s->count && within(options[which].range, x)) {
		r->value[which] = x;
		r->source[which] = MEASURED;
		snprintf(r->how[which], sizeof r->how[which], "%s", source);
	} else if (s->count) {
		snprintf(r->how[which], sizeof r->how[which], "%s; not measured: the %s is %.4f, so noise "
			 "exceeds the effect", options[which].assumed, source, x);
	} else {
		snprintf(r->how[which], sizeof r->how[which], "%s; not measured: %s", options[which].assumed, s->why_not);
	}
}

static void find_parameters(struct request *r)
{
	for (int i = 0; i < PARAMETERS; i++)
		snprintf(r->how[i], sizeof r->how[i], "%s", r->source[i] == GIVEN ? "" : options[i].assumed);
	if (r->recorded && r->source[LAMBDA] != GIVEN)
		measure(r, LAMBDA, &r->records.lambda, "pairs of blocks of duels");
	if (r->recorded && r->source[MU] != GIVEN)
		measure(r, MU, &r->records.mu, "recoveries");
	if (r->recorded && r->source[C] != GIVEN)
		measure(r, C, &r->records.c, "packages whose reader waited");
}

static struct energy_model model_of(const struct request *r)
{
	return (struct energy_model){ r->value[LAMBDA], r->value[MU], r->value[C] };
}

static struct energy_load load_of(const struct request *r)
{
	return (struct energy_load){ r->value[SOLVE], r->value[REWORK] };
}

/* From the model's energies to joules, or to shares of P_solve * T_solve. */
static double unit(const struct request *r)
{
	return r->source[WATTS] == GIVEN ? r->value[WATTS] : 1 / r->value[SOLVE];
}

static const char *saver(const struct request *r)
{
	struct energy_model m = model_of(r);
	struct energy_load l = load_of(r);
	double difference = energy_difference(&m, &l);

	if (fabs(difference) <= 1e-12 * energy_global(&l))
		return "neither";
	return difference < 0 ? "local" : "global";
}

static void say_load(const struct request *r)
{
	struct energy_model m = model_of(r);
	struct energy_load l = load_of(r);
	double u = unit(r), global = energy_global(&l);
	bool joules = r->source[WATTS] == GIVEN;

	if (r->source[SOLVE] != GIVEN) {
		printf("times and energies    not computed: --solve and --rework are not given\n");
		return;
	}
	printf("%-22s%12s%12s\n", "", "local", "global");
	printf("%-22s%12.6g%12.6g   %s\n", "time (Eq. 1), s", energy_time_local(&m, &l),
	       energy_time_global(&l), left_out);
	printf("%-22s%12.6g%12.6g%s\n", joules ? "energy, J" : "energy, relative",
	       energy_local(&m, &l) * u, global * u,
	       joules ? "" : "   in units of P_solve * T_solve, since --watts is not given");
	printf("\nE_LR - E_GR, Eq. 2, exact          %+.6g%s (%+.3f %%): %s rollback saves energy\n",
	       energy_difference(&m, &l) * u, joules ? " J" : "",
	       global > 0 ? 100 * energy_difference(&m, &l) / global : 0, saver(r));
	printf("E_LR - E_GR, Eq. 3 as printed      %+.6g%s\n", energy_difference_printed(&m, &l) * u,
	       joules ? " J" : "");
}

static void say_share(double share)
{
	if (isfinite(share))
		printf("%18.2f %%", 100 * share);
	else
		printf("%20s", "never");
}

static void say_break_even(const char *word, const struct energy_model *m)
{
	printf("%-24s%8.4g%8.4g%8.4g", word, m->lambda, m->mu, m->c);
	say_share(energy_break_even(m));
	say_share(energy_break_even_printed(m));
	say_share(energy_break_even_quoted(m));
	printf("\n");
}

static void say(const struct request *r)
{
	struct energy_model m = model_of(r);

	for (int i = 0; i < PARAMETERS; i++)
		printf("%-10s%10.6g   %s%s%s\n", options[i].word, r->value[i], source_name[r->source[i]],
		       r->how[i][0] ? ": " : "", r->how[i]);
	printf("\n");
	say_load(r);
	printf("\nbreak-even: rework as a share of solve time beyond which local rollback saves energy\n\n"
	       "%-24s%8s%8s%8s%20s%20s%20s\n", "", "lambda", "mu", "C", "Eq. 2, exact",
	       "Eq. 3 as printed", "the paper's figure");
	say_break_even("with these parameters", &m);
	say_break_even("the paper's first case", &paper[0]);
	say_break_even("the paper's second case", &paper[1]);
	printf("\nthe paper's figure: %.0f %% and, for mu = 2, %.0f %%; both come from\n%s.\n"
	       "Eq. 2 gives %.2f %% and %.2f %%; why they differ: docs/energy.md\n",
	       100 * energy_break_even_quoted(&paper[0]), 100 * energy_break_even_quoted(&paper[1]),
	       quoted, 100 * energy_break_even(&paper[0]), 100 * energy_break_even(&paper[1]));
}

/* JSON has no infinity. */
static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *given(const struct request *r, int which)
{
	return r->source[which] == GIVEN ? real(r->value[which]) : json_null();
}

static json_t *parameter_json(const struct request *r, int which)
{
	json_t *how = json_string(r->how[which]); /* NULL if a path in it is no UTF-8 */

	return json_pack("{s:f, s:s, s:o}", "value", r->value[which], "source",
			 source_name[r->source[which]], "how", how ? how : json_null());
}

static json_t *break_even_json(const struct energy_model *m)
{
	return json_pack("{s:f, s:f, s:f, s:o, s:o, s:o}", "lambda", m->lambda, "mu", m->mu, "c", m->c,
			 "eq2", real(energy_break_even(m)), "eq3_as_printed",
			 real(energy_break_even_printed(m)), "paper_figure",
			 real(energy_break_even_quoted(m)));
}

static json_t *load_json(const struct request *r)
{
	struct energy_model m = model_of(r);
	struct energy_load l = load_of(r);
	double u = unit(r);

	if (r->source[SOLVE] != GIVEN)
		return json_null();
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:s}",
			 "local_s", real(energy_time_local(&m, &l)),
			 "global_s", real(energy_time_global(&l)),
			 "energy_unit", r->source[WATTS] == GIVEN ? "J" : "P_solve*T_solve",
			 "local", real(energy_local(&m, &l) * u), "global", real(energy_global(&l) * u),
			 "difference_eq2", real(energy_difference(&m, &l) * u),
			 "difference_eq3_as_printed", real(energy_difference_printed(&m, &l) * u),
			 "saves", saver(r), "note", left_out);
}

static void print_json(const struct request *r)
{
	struct energy_model m = model_of(r);
	json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:[o, o], s:s}",
		"lambda", parameter_json(r, LAMBDA), "mu", parameter_json(r, MU),
		"c", parameter_json(r, C), "solve_s", given(r, SOLVE), "rework_s", given(r, REWORK),
		"watts", given(r, WATTS), "totals", load_json(r), "break_even", break_even_json(&m),
		"paper", break_even_json(&paper[0]), break_even_json(&paper[1]),
		"paper_figure_is", quoted);

	json_dumpf(json, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(json);
}

int cmd_model(int argc, char **argv)
{
	struct request r = { .json = false };
	struct rb_error err;
	int rc = parse(argc, argv, &r, &err);

	if (rc == 1)
		fputs(usage, stdout);
	else if (rc == RB_OK) {
		find_parameters(&r);
		if (r.json)
			print_json(&r);
		else
			say(&r);
	}
	model_records_free(&r.records);
	return rc < 0 ? refused_status("model", &err) : 0;
}

/* The record of the barrier benchmark as tables. Each cell is a median with the least and the
 * greatest value. */
#include "harness/barrier/barrier_table.h"

#include "base/json.h"
#include "base/quantile.h"
#include "harness/barrier/barrier.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 18, CELL_WIDTH = 25, CELLS = 4 };

struct table {
	const json_t *record;
	FILE *to;
	double *value; /* those of the next cell; NAN: missing */
	size_t values;
};

/* For how many values a cell may have: one for each sample, or one for each phase. */
static size_t values_at_most(const json_t *phases)
{
	size_t most = 1, i;
	const json_t *phase;

	json_array_foreach(phases, i, phase)
		most += 1 + json_array_size(json_object_get(phase, "samples"));
	return most;
}

static void add(struct table *t, double value)
{
	t->value[t->values++] = value;
}

/* Print the values that were added; the next cell begins without any. One that is missing may have
 * been the greatest, so the cell is absent then. Returns the number of characters. */
static int say_cell(struct table *t, int decimals, bool with_sign)
{
	const double *value = t->value;
	const size_t n = t->values;
	bool absent = n == 0;

	for (size_t i = 0; i < n; i++)
		absent = absent || !isfinite(value[i]);
	t->values = 0;
	if (absent)
		return fprintf(t->to, "absent");
	sort_numbers(t->value, n);
	return fprintf(t->to, with_sign ? "%+.*f [%+.*f, %+.*f]" : "%.*f [%.*f, %.*f]", decimals,
		       median(value, n), decimals, value[0], decimals, value[n - 1]);
}

/* Fill up a column of which so many characters were printed. */
static void pad(FILE *to, int printed, int width)
{
	fprintf(to, "%*s", printed < width ? width - printed : 0, "");
}

/* As pad(), for a cell that another one follows. */
static void end_cell(FILE *to, int printed)
{
	pad(to, printed, CELL_WIDTH);
	fputc(' ', to);
}

static const json_t *phases_of(const struct table *t)
{
	return json_object_get(t->record, "phases");
}

/* Is it a phase of this technique? NULL: of the product. */
static bool is_of(const json_t *phase, const char *technique)
{
	const json_t *name = json_object_get(phase, "technique");

	return technique ? json_is_string(name) && strcmp(json_string_value(name), technique) == 0
			 : json_is_null(name);
}

/* Add a value of the samples of all ranks; in a barrier, only of those that waited. */
static void add_samples(struct table *t, const char *technique, double (*of)(const json_t *sample))
{
	const json_t *late = json_object_get(t->record, "late_rank"), *phase, *sample;
	size_t i, r;

	json_array_foreach(phases_of(t), i, phase) {
		if (!is_of(phase, technique))
			continue;
		json_array_foreach(json_object_get(phase, "samples"), r, sample)
			if (!technique || !json_equal(json_object_get(sample, "rank"), late))
				add(t, of(sample));
	}
}

static double share(const json_t *sample)
{
	return 1 / number_of(sample, "wall_s") * number_of(sample, "cpu_s");
}

static double cycles(const json_t *sample)
{
	return 1e-9 * number_of(sample, "cycles");
}

static double instructions(const json_t *sample)
{
	return 1e-9 * number_of(sample, "instructions");
}

static void add_watts(struct table *t, const char *technique, const json_t *rank)
{
	const size_t place = (size_t)json_integer_value(json_object_get(rank, "rank"));
	const json_t *phase;
	size_t i;

	json_array_foreach(phases_of(t), i, phase)
		if (is_of(phase, technique))
			add(t, number_of(json_array_get(json_object_get(phase, "samples"), place),
					 "watts"));
}

/* A cell for each package whose meter is read, in order of rank. */
static void say_watts(struct table *t, const char *technique)
{
	const json_t *rank;
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(t->record, "ranks"), i, rank) {
		if (!json_is_true(json_object_get(rank, "reads_energy")))
			continue;
		fputs(any ? " + " : "", t->to);
		add_watts(t, technique, rank);
		say_cell(t, 1, false);
		any = true;
	}
	fputs(any ? "\n" : "absent\n", t->to);
}

static void say_use(struct table *t, const char *technique)
{
	static double (*const columns[])(const json_t *sample) = { share, cycles, instructions };

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		add_samples(t, technique, columns[i]);
		end_cell(t->to, say_cell(t, 4, false));
	}
	say_watts(t, technique);
}

/* Which of a technique's phases it is; -1: that of no record of ours. */
static int repetition_of(const json_t *phase)
{
	const json_t *repetition = json_object_get(phase, "repetition");
	const json_int_t number = json_integer_value(repetition);

	return json_is_integer(repetition) && number >= 0 && number < BARRIER_REPETITIONS_MAX
		       ? (int)number
		       : -1;
}

/* The microseconds in a plain barrier, by repetition. */
static void find_none(const struct table *t, const char *key, double none[BARRIER_REPETITIONS_MAX])
{
	const json_t *phase;
	size_t i;

	for (i = 0; i < BARRIER_REPETITIONS_MAX; i++)
		none[i] = NAN;
	json_array_foreach(phases_of(t), i, phase)
		if (is_of(phase, "none") && repetition_of(phase) >= 0)
			none[repetition_of(phase)] = 1e6 * number_of(phase, key);
}

/* Two cells: how much later than the late rank the others left, in microseconds; and how much more
 * this is than with `none` in the same repetition. The second one is not padded; returns its
 * number of characters. */
static int say_latency(struct table *t, const char *technique, const char *key)
{
	double none[BARRIER_REPETITIONS_MAX];
	const json_t *phase;
	size_t i;

	json_array_foreach(phases_of(t), i, phase)
		if (is_of(phase, technique))
			add(t, 1e6 * number_of(phase, key));
	end_cell(t->to, say_cell(t, 0, false));
	if (strcmp(technique, "none") == 0)
		return 0;
	find_none(t, key, none);
	json_array_foreach(phases_of(t), i, phase) {
		const int repetition = repetition_of(phase);

		if (is_of(phase, technique))
			add(t,
			    repetition < 0 ? NAN : 1e6 * number_of(phase, key) - none[repetition]);
	}
	return say_cell(t, 0, true);
}

static void say_latencies(struct table *t, const char *technique)
{
	end_cell(t->to, say_latency(t, technique, "latency_max_s"));
	say_latency(t, technique, "latency_median_s");
	fputc('\n', t->to);
}

/* A line for each technique. Those without numbers have their reason, in the first table only. */
static void say_rows(struct table *t, void (*say_row)(struct table *t, const char *technique),
		     bool reasons)
{
	const json_t *technique;
	size_t i;

	json_array_foreach(json_object_get(t->record, "techniques"), i, technique) {
		const char *name = text_of(technique, "name"),
			   *absent = text_of(technique, "absent"),
			   *why = absent[0] ? absent : text_of(technique, "trouble");

		if (why[0] && !reasons)
			continue;
		pad(t->to, fprintf(t->to, "barrier, %s", name), NAME_WIDTH);
		if (why[0])
			fprintf(t->to, "absent: %s\n", why);
		else
			say_row(t, name);
	}
}

/* If none of these meters can be read. The last reason is the one with the remedy for all. */
static void say_absent(const struct table *t, const char *what, const char *column)
{
	const json_t *meter, *last = NULL;
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(t->record, "meters"), i, meter)
		if (strcmp(text_of(meter, "what"), what) == 0) {
			any = any || json_is_true(json_object_get(meter, "ok"));
			last = meter;
		}
	if (last && !any)
		fprintf(t->to, "%s absent: %s\n", column, text_of(last, "text"));
}

static void say_columns(const struct table *t, const char *const name[CELLS])
{
	pad(t->to, 0, NAME_WIDTH);
	for (int i = 0; i < CELLS - 1; i++)
		end_cell(t->to, fprintf(t->to, "%s", name[i]));
	fprintf(t->to, "%s\n", name[CELLS - 1]);
}

static void say_tables(struct table *t)
{
	static const char *const use[CELLS] = { "CPU time / wall time", "10^9 cycles",
						"10^9 instructions", "W of each package" },
				 *const latency[CELLS] = { "last rank", "more than none",
							   "median rank", "more than none" };

	fprintf(t->to, "\nmedian [least, most] over repetitions and ranks; in barriers, over the "
		       "ranks that wait\n");
	say_columns(t, use);
	pad(t->to, fprintf(t->to, "matrix product"), NAME_WIDTH);
	say_use(t, NULL);
	say_rows(t, say_use, true);
	say_absent(t, "energy", "W");
	say_absent(t, "cycles", "cycles");
	say_absent(t, "instr", "instructions");
	fprintf(t->to, "\nmicroseconds from the late rank's entering until waiting ranks have "
		       "left, and more than with none\n");
	say_columns(t, latency);
	say_rows(t, say_latencies, false);
}

void barrier_table(const json_t *record, FILE *to)
{
	const size_t most = values_at_most(json_object_get(record, "phases"));
	struct table t = { record, to, malloc(most * sizeof *t.value), 0 };

	if (t.value)
		say_tables(&t);
	else
		fprintf(to, "no table: out of memory\n");
	free(t.value);
	fflush(to); /* before what standard error says of the same record */
}

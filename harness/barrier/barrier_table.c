/* The results of the barrier benchmark as a table: medians over samples, with the least and the greatest. */
#include "harness/barrier/barrier.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 64 };

struct list {
	double *value;
	size_t count;
	bool gaps; /* some samples are missing, so there is no value for the whole */
};

struct table {
	const json_t *record, *phases;
	json_int_t late;
	struct list list; /* room for every sample of the record */
	FILE *to;
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add(struct list *l, const json_t *value, double scale)
{
	if (json_is_number(value))
		l->value[l->count++] = scale * json_number_value(value);
	else
		l->gaps = true;
}

static double middle(struct list *l)
{
	size_t n = l->count;

	qsort(l->value, n, sizeof *l->value, ascending);
	return (l->value[(n - 1) / 2] + l->value[n / 2]) / 2;
}

/* "median [least, most]", or "absent". */
static void show(struct list *l, const char *format, char out[CELL])
{
	char number[3][20];
	double value[3];

	if (l->gaps || l->count == 0) {
		snprintf(out, CELL, "absent");
		return;
	}
	value[0] = middle(l);
	value[1] = l->value[0];
	value[2] = l->value[l->count - 1];
	for (int i = 0; i < 3; i++)
		snprintf(number[i], sizeof number[i], format, value[i]);
	snprintf(out, CELL, "%s [%s, %s]", number[0], number[1], number[2]);
}

/* Is the phase that of the technique? NULL stands for the product. */
static bool is(const json_t *phase, const char *technique)
{
	const char *name = json_string_value(json_object_get(phase, "technique"));

	return technique ? name && strcmp(name, technique) == 0 : !name;
}

/* Collect what the ranks used; in a barrier, only the ranks that waited. share: as a share of the wall
 * time. */
static void collect_used(struct table *t, const char *technique, const char *key, bool share)
{
	const json_t *phase, *sample;
	size_t i, j;

	t->list.count = 0;
	t->list.gaps = false;
	json_array_foreach(t->phases, i, phase)
		json_array_foreach(json_object_get(phase, "samples"), j, sample)
			if (is(phase, technique) &&
			    (!technique || (json_int_t)j != t->late))
				add(&t->list, json_object_get(sample, key), share ? 1 /
				    json_number_value(json_object_get(sample, "wall_s")) : 1e-9);
}

/* The watts of the packages whose meter is read, in order of rank, joined by " + ". */
static void watts(struct table *t, const char *technique, char *out, size_t size)
{
	const json_t *rank, *phase;
	size_t used = 0, r, i;
	char cell[CELL];

	out[0] = '\0';
	json_array_foreach(json_object_get(t->record, "ranks"), r, rank) {
		if (!json_is_true(json_object_get(rank, "reads_energy")))
			continue;
		t->list.count = 0;
		t->list.gaps = false;
		json_array_foreach(t->phases, i, phase)
			if (is(phase, technique))
				add(&t->list, json_object_get(json_array_get(json_object_get(phase, "samples"),
				    r), "watts"), 1);
		show(&t->list, "%.1f", cell);
		used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " + " : "", cell);
		used = used < size ? used : size - 1;
	}
	if (!out[0])
		snprintf(out, size, "absent");
}

static const json_t *none_of(const struct table *t, json_int_t repetition)
{
	const json_t *phase;
	size_t i;

	json_array_foreach(t->phases, i, phase)
		if (is(phase, "none") &&
		    json_integer_value(json_object_get(phase, "repetition")) == repetition)
			return phase;
	return NULL;
}

/* Collect how much later than the late rank the others left, in microseconds; or how much more this is
 * than with `none` in the same repetition. */
static void collect_latency(struct table *t, const char *technique, const char *key, bool extra)
{
	const json_t *phase;
	size_t i;

	t->list.count = 0;
	t->list.gaps = false;
	json_array_foreach(t->phases, i, phase) {
		const json_t *none = none_of(t, json_integer_value(json_object_get(phase, "repetition")));
		size_t before = t->list.count;

		if (!is(phase, technique))
			continue;
		add(&t->list, json_object_get(phase, key), 1e6);
		if (!extra || t->list.count == before)
			continue;
		if (json_is_number(json_object_get(none, key)))
			t->list.value[before] -= 1e6 * json_number_value(json_object_get(none, key));
		else
			t->list.gaps = true;
	}
}

static void row_of_use(struct table *t, const char *name, const char *technique)
{
	char share[CELL], cycles[CELL], instructions[CELL], power[4 * CELL];

	collect_used(t, technique, "cpu_s", true);
	show(&t->list, "%.4f", share);
	collect_used(t, technique, "cycles", false);
	show(&t->list, "%.4f", cycles);
	collect_used(t, technique, "instructions", false);
	show(&t->list, "%.4f", instructions);
	watts(t, technique, power, sizeof power);
	fprintf(t->to, "%-18s%-25s %-25s %-25s %s\n", name, share, cycles, instructions, power);
}

static void row_of_latency(struct table *t, const char *name, const char *technique)
{
	static const char *const keys[] = { "latency_max_s", "latency_median_s" };
	char cell[4][CELL];

	for (int k = 0; k < 2; k++) {
		collect_latency(t, technique, keys[k], false);
		show(&t->list, "%.0f", cell[k]);
		collect_latency(t, technique, keys[k], true);
		show(&t->list, "%+.0f", cell[2 + k]);
	}
	if (strcmp(technique, "none") == 0)
		cell[2][0] = cell[3][0] = '\0';
	fprintf(t->to, "%-18s%-25s %-25s %-25s %s\n", name, cell[0], cell[2], cell[1], cell[3]);
}

/* Write a line per technique. Techniques without numbers have their reason, in the first table only. */
static void rows(struct table *t, void (*row)(struct table *, const char *, const char *), bool reasons)
{
	const json_t *technique;
	size_t i;

	json_array_foreach(json_object_get(t->record, "techniques"), i, technique) {
		const char *why = barrier_why_not(technique), *name = json_string_value(
			json_object_get(technique, "name"));
		char what[32];

		snprintf(what, sizeof what, "barrier, %s", name);
		if (!why)
			row(t, what, name);
		else if (reasons)
			fprintf(t->to, "%-18sabsent: %s\n", what, why);
	}
}

/* Print the last reason, which is the one with the remedy for all. */
static void say_absent(const struct table *t, const char *what, const char *column)
{
	const json_t *line;
	const char *why = NULL;
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(t->record, "meters"), i, line) {
		if (strcmp(json_string_value(json_object_get(line, "what")), what) != 0)
			continue;
		if (json_is_true(json_object_get(line, "ok")))
			any = true;
		else
			why = json_string_value(json_object_get(line, "text"));
	}
	if (!any && why)
		fprintf(t->to, "%s absent: %s\n", column, why);
}

int barrier_table(const json_t *record, FILE *to, struct rb_error *err)
{
	const json_t *phases = json_object_get(record, "phases");
	size_t room = json_array_size(phases) * json_array_size(json_object_get(record, "ranks")) + 1;
	struct table t = { record, phases, json_integer_value(json_object_get(record, "late_rank")),
			   { malloc(room * sizeof(double)), 0, false }, to };

	if (!t.list.value)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	fprintf(to, "\nmedian [least, most] over repetitions and ranks; in barriers, over the ranks that "
		"wait\n%-18s%-25s %-25s %-25s %s\n", "", "CPU time / wall time", "10^9 cycles",
		"10^9 instructions", "W of each package");
	row_of_use(&t, "matrix product", NULL);
	rows(&t, row_of_use, true);
	say_absent(&t, "energy", "W");
	say_absent(&t, "cycles", "cycles");
	say_absent(&t, "instr", "instructions");
	fprintf(to, "\nmicroseconds from the late rank's entering until waiting ranks have left, and more than "
		"with none\n%-18s%-25s %-25s %-25s %s\n", "", "last rank", "more than none", "median rank",
		"more than none");
	rows(&t, row_of_latency, false);
	free(t.list.value);
	return RB_OK;
}

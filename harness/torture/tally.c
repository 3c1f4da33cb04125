#include "harness/torture/tally.h"

#include "base/clock.h"
#include "base/streams.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void tally_start(struct tally *t, size_t runs)
{
	memset(t, 0, sizeof *t);
	t->runs = runs;
	t->begin = clock_monotonic();
	snprintf(t->all.name, sizeof t->all.name, "total");
}

static struct tally_row *row_of(struct tally *t, const char *name)
{
	for (int i = 0; i < t->rows; i++)
		if (strcmp(t->row[i].name, name) == 0)
			return &t->row[i];
	if (t->rows == TALLY_ROWS)
		return &t->row[TALLY_ROWS - 1];
	snprintf(t->row[t->rows].name, sizeof t->row->name, "%s",
		 t->rows == TALLY_ROWS - 1 ? "others" : name);
	return &t->row[t->rows++];
}

static void count(struct tally_row *row, const struct outcome *outcome)
{
	row->count[outcome->status]++;
	row->escalated += outcome->status == STATUS_OK && outcome->escalated;
	row->refused += outcome->refused;
	row->restarts += outcome->restarts;
	row->total++;
}

void tally_add(struct tally *t, const char *name, const struct outcome *outcome)
{
	count(row_of(t, name), outcome);
	count(&t->all, outcome);
	t->done++;
	t->resumed += outcome->resumed;
	t->bad += !outcome->expected;
	t->controls += outcome->expected && outcome->status == STATUS_WRONG;
}

static void time_left(const struct tally *t, char *out, size_t size)
{
	size_t fresh = t->done - t->resumed;
	double left;

	if (fresh == 0) {
		snprintf(out, size, "ETA unknown");
		return;
	}
	left = (clock_monotonic() - t->begin) / (double)fresh * (double)(t->runs - t->done);
	snprintf(out, size, "ETA %d:%02d", (int)left / 60, (int)left % 60);
}

void tally_progress(struct tally *t, bool last)
{
	bool terminal = streams_terminal(STDERR_FILENO);
	double now = clock_monotonic();
	char left[32], controls[48] = "";

	if (!last && now < t->said + (terminal ? 0.2 : 10))
		return;
	t->said = now;
	time_left(t, left, sizeof left);
	if (t->controls > 0)
		snprintf(controls, sizeof controls, ", %zu wrong as they must be", t->controls);
	fprintf(stderr, "%s%zu of %zu runs, %zu ok%s, %zu not ok, %s   %s", terminal ? "\r" : "",
		t->done, t->runs, (size_t)t->all.total - t->bad - t->controls, controls, t->bad,
		left, terminal && !last ? "" : "\n");
}

static void print_row(const struct tally *t, const struct tally_row *row, FILE *to)
{
	const int refused = t->elc ? row->refused : row->count[STATUS_OUT_OF_SPARES];

	fprintf(to, "%-44s %6d %6d %6d %6d %6d %8d %9d\n", row->name, row->total,
		row->count[STATUS_OK] - row->escalated, row->count[STATUS_WRONG],
		row->count[STATUS_HANG], row->count[STATUS_ABORT] - row->refused, refused,
		t->elc ? row->restarts : row->escalated);
}

void tally_table(const struct tally *t, FILE *to)
{
	fprintf(to, "%-44s %6s %6s %6s %6s %6s %8s %9s\n", "", "runs", "ok", "wrong", "hang",
		"abort", t->elc ? "refused" : "no spare", t->elc ? "restarts" : "escalated");
	for (int i = 0; i < t->rows; i++)
		print_row(t, &t->row[i], to);
	print_row(t, &t->all, to);
}

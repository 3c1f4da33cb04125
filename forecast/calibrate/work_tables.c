#include "forecast/calibrate/work_tables.h"

#include "base/status.h"

#include <math.h>

enum { POINTS = 64 }; /* of a role's quantile function */

/* The quantile function of a role: numbers that do not decrease, two or more. Otherwise the sample
 * is left empty. RB_OK or RB_ENOMEM. */
static int read_table(struct sample *table, const json_t *list)
{
	double last = 0;
	const json_t *value;
	size_t i;

	if (json_array_size(list) < 2)
		return RB_OK;
	json_array_foreach(list, i, value) {
		if (!json_is_number(value) || !(json_number_value(value) >= last)) {
			sample_free(table);
			return RB_OK;
		}
		last = json_number_value(value);
		RB_TRY(sample_add(table, last));
	}
	return RB_OK;
}

/* The midpoints of equal parts, and both ends. */
static int add_values(struct work_tables *t, const struct sample *table)
{
	for (int i = 0; i < POINTS; i++)
		RB_TRY(sample_add(&t->values, sample_quantile(table, (i + 0.5) / POINTS)));
	RB_TRY(sample_add(&t->values, sample_quantile(table, 0)));
	return sample_add(&t->values, sample_quantile(table, 1));
}

static int add_role(struct work_tables *t, const json_t *phases)
{
	static const char *const parts[] = { "compute_s", "pack_s", "commit_s" };
	struct sample table = { NULL, 0 };
	int rc = read_table(&table, json_object_get(phases, "work_quantiles_s"));

	if (rc == RB_OK && table.count > 0) {
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			t->seconds += json_number_value(json_object_get(phases, parts[i]));
		t->iterations += json_number_value(json_object_get(phases, "iterations"));
		t->tables++;
		rc = add_values(t, &table);
	}
	sample_free(&table);
	return rc;
}

int work_tables_add(struct work_tables *t, const json_t *record)
{
	const json_t *role;
	size_t i;

	json_array_foreach(json_object_get(record, "roles"), i, role)
		RB_TRY(add_role(t, json_object_get(role, "phases")));
	return RB_OK;
}

double work_tables_mean(const struct work_tables *t)
{
	return t->iterations > 0 ? t->seconds / t->iterations : NAN;
}

void work_tables_make(struct work_tables *t, struct work *w)
{
	const int last = WORK_KNOTS_MAX - 1;
	double sum = 0;

	*w = (struct work){ .knots = 0 };
	if (t->tables == 0)
		return;
	sample_sort(&t->values);
	for (int k = 0; k <= last; k++)
		w->seconds[k] = sample_quantile(&t->values, (double)k / last);
	for (int k = 0; k < last; k++)
		sum += (k == 0 ? 0.5 : 1) * w->seconds[k];
	/* mean = (sum + last knot / 2) / parts */
	if (t->iterations > 0)
		w->seconds[last] = fmin(w->seconds[last], 2 * (work_tables_mean(t) * last - sum));
	w->seconds[last] = fmax(w->seconds[last], w->seconds[last - 1]);
	w->knots = w->seconds[0] < w->seconds[last] ? WORK_KNOTS_MAX : 1;
}

void work_tables_free(struct work_tables *t)
{
	sample_free(&t->values);
}

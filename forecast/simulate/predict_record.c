/* How good predictions were, for the record and on the screen. */
#include "base/build_json.h"
#include "base/json.h"
#include "base/status.h"
#include "forecast/simulate/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const answers[] = { "agree", "agree_there", "left_out", "differ" };

/* Relative to what was measured; > 0: predicted too long. */
static double error_of(double predicted, double measured)
{
	return measured > 0 ? predicted / measured - 1 : NAN;
}

static bool is_inside(const struct prediction *p)
{
	return p->measured_s >= p->low_s && p->measured_s <= p->high_s;
}

static json_t *one_json(const struct prediction *p)
{
	json_t *plan = json_loads(p->run->point, 0, NULL);

	return json_pack(
		"{s:s, s:s, s:O, s:o, s:s, s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}",
		"run", p->run->name, "method", p->method, "interval",
		json_object_get(p->run->record, "interval"), "plan", plan, "counts",
		answers[p->counts.answer], "counts_why", p->counts.why, "measured_s", p->measured_s,
		"predicted_s", number_json(p->predicted_s), "low_s", number_json(p->low_s),
		"high_s", number_json(p->high_s), "error",
		number_json(error_of(p->predicted_s, p->measured_s)), "inside",
		isfinite(p->low_s) ? json_boolean(is_inside(p)) : json_null(), "lost_s",
		number_json(p->lost_s), "predicted_lost_s", number_json(p->predicted_lost_s),
		"untimed", p->untimed[0] ? p->untimed : NULL);
}

static json_t *counts_json(const struct predictions *p)
{
	size_t count[AGREEMENTS] = { 0 };
	json_t *json = json_object();

	for (size_t i = 0; i < p->count; i++)
		count[p->list[i].counts.answer]++;
	for (int k = 0; k < AGREEMENTS; k++)
		json_object_set_new(json, answers[k], json_integer((json_int_t)count[k]));
	return json;
}

static double median(struct sample *s)
{
	double value;

	sample_sort(s);
	value = sample_quantile(s, 0.5);
	sample_free(s);
	return value;
}

/* Over all runs whose times were predicted. */
static json_t *times_json(const struct predictions *p)
{
	struct sample error = { NULL, 0 }, lost = { NULL, 0 };
	size_t runs = 0, inside = 0, intervals = 0, lost_runs;
	double most = NAN;

	for (size_t i = 0; i < p->count; i++) {
		const struct prediction *one = &p->list[i];

		if (!isfinite(one->predicted_s))
			continue;
		runs++;
		inside += is_inside(one);
		intervals += isfinite(one->low_s);
		sample_add(&error, error_of(one->predicted_s, one->measured_s));
		most = fmax(most, fabs(error_of(one->predicted_s, one->measured_s)));
		if (isfinite(one->lost_s) && one->lost_s > 0)
			sample_add(&lost, error_of(one->predicted_lost_s, one->lost_s));
	}
	lost_runs = lost.count;
	return json_pack("{s:s?, s:I, s:o, s:o, s:o, s:I, s:o}", "refused", p->times_refused,
			 "runs", (json_int_t)runs, "inside",
			 intervals > 0 ? json_integer((json_int_t)inside) : json_null(),
			 "median_error", number_json(median(&error)), "largest_error",
			 number_json(most), "lost_runs", (json_int_t)lost_runs, "median_lost_error",
			 number_json(median(&lost)));
}

/* The mean time of a method at a kill point. */
struct cell {
	const struct prediction *first;
	double measured, predicted, runs;
};

/* Equal kills and schedule, so that methods can be compared. */
static bool is_same_case(const struct prediction *a, const struct prediction *b)
{
	return strcmp(a->run->point, b->run->point) == 0 &&
	       json_equal(json_object_get(a->run->record, "interval"),
			  json_object_get(b->run->record, "interval"));
}

static size_t fill_cells(const struct predictions *p, struct cell *cell)
{
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct prediction *one = &p->list[i];
		size_t k = 0;

		if (!isfinite(one->predicted_s))
			continue;
		while (k < count && strcmp(cell[k].first->which, one->which) != 0)
			k++;
		if (k == count)
			cell[count++] = (struct cell){ one, 0, one->predicted_s, 0 };
		cell[k].measured += one->measured_s;
		cell[k].runs++;
	}
	for (size_t k = 0; k < count; k++)
		cell[k].measured /= cell[k].runs;
	return count;
}

/* The standard deviation of repetitions, over all cells with two or more; NAN: there are none. */
static double scatter(const struct predictions *p, const struct cell *cell, size_t count)
{
	double squares = 0, degrees = 0;

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < p->count && cell[k].runs > 1; i++)
			if (strcmp(p->list[i].which, cell[k].first->which) == 0)
				squares += pow(p->list[i].measured_s - cell[k].measured, 2);
	for (size_t k = 0; k < count; k++)
		degrees += cell[k].runs - 1;
	return degrees > 0 ? sqrt(squares / degrees) : NAN;
}

struct order {
	/* pairs of methods; open: they differ by less than two standard errors */
	json_int_t right, wrong, open;
};

static void compare_pair(struct order *o, const struct cell *a, const struct cell *b,
			 double deviation)
{
	const double measured = a->measured - b->measured, predicted = a->predicted - b->predicted;

	if (isfinite(deviation) &&
	    fabs(measured) <= 2 * deviation * sqrt(1 / a->runs + 1 / b->runs))
		o->open++;
	else if ((measured > 0) - (measured < 0) == (predicted > 0) - (predicted < 0))
		o->right++;
	else
		o->wrong++;
}

/* Is the order of the methods right? For each pair of them at each kill point. */
static json_t *order_json(const struct predictions *p)
{
	struct cell *cell = calloc(p->count + 1, sizeof *cell);
	struct order o = { 0 };
	size_t count = cell ? fill_cells(p, cell) : 0;
	const double deviation = scatter(p, cell, count);

	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < a; b++)
			if (is_same_case(cell[a].first, cell[b].first))
				compare_pair(&o, &cell[a], &cell[b], deviation);
	free(cell);
	return json_pack("{s:I, s:I, s:I, s:o}", "right", o.right, "wrong", o.wrong,
			 "within_scatter", o.open, "deviation_s", number_json(deviation));
}

static json_t *points_json(const struct predictions *p, size_t from, size_t to)
{
	json_t *list = json_array();

	for (size_t i = from; i < to; i++)
		json_array_append_new(list, json_loads(p->point[i], 0, NULL));
	return list;
}

json_t *predictions_json(const struct predictions *p, const struct simulation *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->count; i++)
		json_array_append_new(list, one_json(&p->list[i]));
	return json_pack("{s:s, s:b, s:o, s:s, s:i, s:o, s:{s:I, s:i, s:o, s:o}, s:o, s:o, "
			 "s:o, s:o}",
			 "schema", "rollbench-predict-1", "modelled", 1, "rollbench", build_json(),
			 "kernel", s->name, "np", s->np, "calibration",
			 calibration_json(s->calibration), "split", "seed", (json_int_t)s->seed,
			 "draws", s->seeds, "fitted", points_json(p, 0, p->fitted), "predicted",
			 points_json(p, p->fitted, p->points), "counts", counts_json(p), "times",
			 times_json(p), "order", order_json(p), "predictions", list);
}

static void say_one(const json_t *one, FILE *to)
{
	char *plan = json_dumps(json_object_get(one, "plan"), JSON_COMPACT);

	fprintf(to, "%-24s %-24.24s %11.5g", text_of(one, "method"), plan ? plan : "",
		number_of(one, "measured_s"));
	if (isfinite(number_of(one, "predicted_s")))
		fprintf(to, " %11.5g %+7.1f %%", number_of(one, "predicted_s"),
			100 * number_of(one, "error"));
	if (isfinite(number_of(one, "low_s")))
		fprintf(to, " [%.5g, %.5g]%s", number_of(one, "low_s"), number_of(one, "high_s"),
			json_is_true(json_object_get(one, "inside")) ? "" : " outside");
	if (strcmp(json_string_value(json_object_get(one, "counts")), "differ") == 0)
		fprintf(to, "  counts differ: %s",
			json_string_value(json_object_get(one, "counts_why")));
	fprintf(to, "\n");
	free(plan);
}

void predictions_say(const json_t *record, FILE *to)
{
	const json_t *counts = json_object_get(record, "counts"),
		     *times = json_object_get(record, "times");
	const json_t *order = json_object_get(record, "order"), *one;
	const char *refused = json_string_value(json_object_get(times, "refused"));
	size_t i;

	fprintf(to, "%-24s %-24s %11s %11s %9s %s\n", "method", "kills", "measured s",
		"predicted s", "error", "90 % interval");
	json_array_foreach(json_object_get(record, "predictions"), i, one)
		say_one(one, to);
	fprintf(to, "counts: %g agree, %g agree where the roles were, %g left out, %g differ\n",
		number_of(counts, "agree"), number_of(counts, "agree_there"),
		number_of(counts, "left_out"), number_of(counts, "differ"));
	if (refused) {
		fprintf(to, "times are not predicted: %s\n", refused);
		return;
	}
	fprintf(to,
		"times of %g runs: median error %+.1f %%, largest %.1f %%; of the time that the "
		"failure cost, median error %+.0f %%\n",
		number_of(times, "runs"), 100 * number_of(times, "median_error"),
		100 * number_of(times, "largest_error"),
		100 * number_of(times, "median_lost_error"));
	if (isfinite(number_of(times, "inside")))
		fprintf(to, "%g of them are within their interval of 90 %%\n",
			number_of(times, "inside"));
	else
		fprintf(to,
			"no intervals: these need two failure-free runs and two recoveries that "
			"costs are taken from\n");
	fprintf(to,
		"order of the methods: %g pairs right, %g wrong, %g within the scatter of "
		"repetitions\n",
		number_of(order, "right"), number_of(order, "wrong"),
		number_of(order, "within_scatter"));
}

bool predictions_agree(const json_t *record)
{
	const json_t *counts = json_object_get(record, "counts");

	return number_of(counts, "differ") == 0 &&
	       number_of(counts, "agree") + number_of(counts, "agree_there") > 0;
}

json_t *simulate_predict(const struct simulation *s, struct rb_error *err)
{
	struct predictions p;
	json_t *record = NULL;

	if (predictions_make(&p, s, err) == RB_OK)
		record = predictions_json(&p, s);
	predictions_free(&p);
	return record;
}

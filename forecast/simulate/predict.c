#include "forecast/simulate/predict.h"

#include "base/json.h"
#include "base/mix.h"
#include "base/quantile.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All kill points once, in the order of their texts, so that it does not depend on the order of the
 * records. */
static int find_points(struct predictions *p, const struct measurements *m)
{
	size_t count = 0;

	p->point = calloc(m->count + 1, sizeof *p->point);
	if (!p->point)
		return RB_ENOMEM;
	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].point)
			p->point[count++] = m->list[i].point;
	qsort(p->point, count, sizeof *p->point, by_text);
	for (size_t i = 0; i < count; i++)
		if (p->points == 0 || strcmp(p->point[p->points - 1], p->point[i]) != 0)
			p->point[p->points++] = p->point[i];
	return RB_OK;
}

/* Shuffle; costs are taken from the first half, which has one more if their number is odd. */
static void divide(struct predictions *p, struct measurements *m, uint64_t seed)
{
	uint64_t state = mix(seed);

	for (size_t i = p->points; i > 1; i--) {
		const size_t k = mix_draw(&state) % i;
		const char *point = p->point[k];

		p->point[k] = p->point[i - 1];
		p->point[i - 1] = point;
	}
	p->fitted = (p->points + 1) / 2;
	for (size_t i = 0; i < m->count; i++)
		for (size_t k = p->fitted; k < p->points && m->list[i].point; k++)
			if (strcmp(m->list[i].point, p->point[k]) == 0)
				m->list[i].fitted = false;
}

/* Without these, a time would be predicted as if a recovery cost nothing. */
static int check_costs(const struct calibration *c, struct rb_error *err)
{
	static const enum cost needed[] = { COST_DETECT, COST_REPAIR, COST_RESTORE };
	static const char *const options[] = { "--detect", "--repair", "--restore" };
	const double given[] = { c->given.detect_s, c->given.repair_s, c->given.restore_s };

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (isnan(given[i]) && c->cost[needed[i]].count == 0)
			return rb_fail(
				err, RB_EINVAL,
				"--from %.200s: no record of the fitted kill points measured this "
				"cost; give %s, or choose others by --seed",
				c->m.path, options[i]);
	return RB_OK;
}

/* Policy, recompute mode, schedule and, unless it is asked without, kills. */
static char *which_of(const json_t *record, bool kills)
{
	static const char *const keys[] = { "policy", "recompute", "interval", "ckpt_first",
					    "plan" };
	json_t *json = json_array();
	char *text;

	for (size_t i = 0; i < sizeof keys / sizeof *keys - !kills; i++) {
		json_t *value = json_object_get(record, keys[i]);

		json_array_append_new(json, value ? json_incref(value) : json_null());
	}
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	return text;
}

/* The median of the failure-free runs of the same method and interval; NAN: there are none. */
static double failure_free_time(const struct measurements *m, const json_t *record)
{
	char *wanted = which_of(record, false);
	struct sample times = { NULL, 0 };
	double median;

	for (size_t i = 0; wanted && i < m->count; i++) {
		char *here = m->list[i].point ? NULL : which_of(m->list[i].record, false);

		if (here && strcmp(here, wanted) == 0)
			sample_add(&times, m->list[i].loop_s);
		free(here);
	}
	sample_sort(&times);
	median = sample_quantile(&times, 0.5);
	sample_free(&times);
	free(wanted);
	return median;
}

static int span(const struct simulation *s, const struct model *m, const struct recorded *r,
		size_t failures, double *seconds, struct rb_error *err)
{
	struct result result;

	RB_TRY(engine_call(s->engine, s->threads, m, r->failure, failures, &result, err));
	*seconds = seconds_of(result.makespan);
	result_free(&result);
	return RB_OK;
}

/* The standard deviation of the logarithms of the times: factors by which runs differ. */
static double scatter_of(const struct sample *times)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < times->count; i++) {
		/* 0 exactly if they are equal */
		const double factor = log(times->value[i] / times->value[0]);

		sum += factor;
		squares += factor * factor;
	}
	return sqrt(fmax(squares / (double)times->count - pow(sum / (double)times->count, 2), 0));
}

/* The interval in which one more run lies with a probability of 90 %, if the logarithms of times
 * are normally distributed. The draws repeat a few measured runs, so their own quantiles lie too
 * close together: the quantiles of `runs` runs have a new one between them with a probability of
 * (runs - 1) / (runs + 1) at most. NAN with less than two. */
static void set_interval(struct prediction *p, const struct sample *times, size_t runs)
{
	const double n = (double)runs;
	double factor;

	if (runs < 2)
		return;
	factor = exp(student_95((int)runs - 1) * scatter_of(times) *
		     sqrt(n / (n - 1) * (1 + 1 / n)));
	p->low_s = p->predicted_s / factor;
	p->high_s = p->predicted_s * factor;
}

/* The measured runs that a prediction rests on: failure-free ones, or recoveries if these are
 * fewer. */
static size_t independent_runs(const struct calibration *c)
{
	return c->outages > 0 && c->outages < c->failure_free_count ? c->outages
								    : c->failure_free_count;
}

/* Each draw is simulated with its failures and without. */
static int draw_times(struct prediction *p, const struct simulation *s, const struct recorded *r,
		      struct sample *times, struct sample *lost, struct rb_error *err)
{
	struct model m = calibration_model(r);
	double with = 0, without = 0;

	for (int k = 0; k < s->seeds; k++) {
		calibration_draw(s->calibration, s->seed + (uint64_t)k, &m.costs, &m.work);
		RB_TRY(model_check(&m, err));
		RB_TRY(span(s, &m, r, r->failures, &with, err));
		RB_TRY(span(s, &m, r, 0, &without, err));
		if (sample_add(times, with) != RB_OK || sample_add(lost, with - without) != RB_OK)
			return rb_fail(err, RB_ENOMEM, "out of memory");
	}
	sample_sort(times);
	sample_sort(lost);
	p->predicted_s = sample_quantile(times, 0.5);
	set_interval(p, times, independent_runs(s->calibration));
	p->predicted_lost_s = sample_quantile(lost, 0.5);
	return RB_OK;
}

static int predict_time(struct prediction *p, const struct simulation *s, struct rb_error *err)
{
	struct sample times = { NULL, 0 }, lost = { NULL, 0 };
	struct recorded r;
	int rc = recorded_read(&r, p->run->record, err);

	if (rc == RB_OK && (r.unplanned[0] || r.unseen))
		snprintf(p->untimed, sizeof p->untimed, "%s",
			 r.unplanned[0] ? r.unplanned : r.unseen);
	else if (rc == RB_OK)
		rc = draw_times(p, s, &r, &times, &lost, err);
	if (rc == RB_EINVAL) {
		snprintf(p->untimed, sizeof p->untimed, "%.120s", err->text);
		rc = RB_OK;
	}
	sample_free(&times);
	sample_free(&lost);
	recorded_free(&r);
	return rc;
}

/* Repetitions are predicted once. */
static int predict(struct predictions *all, const struct simulation *s, const struct measured *run,
		   struct rb_error *err)
{
	struct prediction *p = &all->list[all->count++], *same = all->list;
	const char *how = text_of(run->record, "recompute");

	*p = (struct prediction){ .run = run,
				  .which = which_of(run->record, true),
				  .measured_s = run->loop_s,
				  .predicted_s = NAN,
				  .low_s = NAN,
				  .high_s = NAN,
				  .predicted_lost_s = NAN };
	if (!p->which)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	p->lost_s = run->loop_s - failure_free_time(&s->calibration->m, run->record);
	snprintf(p->method, sizeof p->method, "%.60s%s%.60s", text_of(run->record, "policy"),
		 strncmp(how, "dataflow", 8) == 0 ? "+" : "",
		 strncmp(how, "dataflow", 8) == 0 ? how : "");
	RB_TRY(against_record(&p->counts, run->record, err));
	if (all->times_refused)
		return RB_OK;
	while (strcmp(same->which, p->which) != 0)
		same++;
	if (same == p)
		return predict_time(p, s, err);
	p->predicted_s = same->predicted_s;
	p->low_s = same->low_s;
	p->high_s = same->high_s;
	p->predicted_lost_s = same->predicted_lost_s;
	memcpy(p->untimed, same->untimed, sizeof p->untimed);
	return RB_OK;
}

int predictions_make(struct predictions *p, const struct simulation *s, struct rb_error *err)
{
	struct calibration *c = s->calibration;

	*p = (struct predictions){ .times_refused = calibration_refuses_times(c) };
	p->list = calloc(c->m.count, sizeof *p->list);
	if (!p->list || find_points(p, &c->m) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	if (p->points < 2)
		return rb_fail(
			err, RB_EINVAL,
			"--predict: %zu kill points in %.200s, but at least two are needed, one to "
			"take costs from and one to predict; measure with another --kill",
			p->points, c->m.path);
	divide(p, &c->m, s->seed);
	if (!p->times_refused) {
		RB_TRY(calibration_fit(c, err));
		RB_TRY(check_costs(c, err));
	}
	for (size_t i = 0; i < c->m.count; i++)
		if (!c->m.list[i].fitted)
			RB_TRY(predict(p, s, &c->m.list[i], err));
	return RB_OK;
}

void predictions_free(struct predictions *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i].which);
	free(p->list);
	free(p->point);
}

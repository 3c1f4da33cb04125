/* forecast/simulate/predict.h - measured runs predicted by others: `rollbench simulate --from PATH
 * --predict`. */
#ifndef FORECAST_SIMULATE_PREDICT_H
#define FORECAST_SIMULATE_PREDICT_H

#include "forecast/calibrate/calibration.h"
#include "forecast/simulate/against.h"
#include "forecast/simulate/simulation.h"

/* A run that the costs were not taken from. NAN: not predicted, or not measured. */
struct prediction {
	const struct measured *run;
	/* what is equal in its repetitions: policy, recompute, interval, kills */
	char *which;
	char method[SIMULATION_TEXT];
	struct against counts;
	char untimed[128]; /* why its time was not predicted; "": it was */
	/* median of the draws, and the interval of 90 % for one run */
	double measured_s, predicted_s, low_s, high_s;
	/* beyond the median of failure-free runs of its method; median of the draws */
	double lost_s, predicted_lost_s;
};

struct predictions {
	struct prediction *list;
	size_t count;
	const char **point;        /* all kill points; they belong to the measurements */
	size_t points, fitted;     /* the first are those that costs were taken from */
	const char *times_refused; /* NULL: times were predicted */
};

/* Divide the kill points by s->seed, fit, and predict. RB_OK; RB_EINVAL: less than two kill points,
 * or a cost is known neither from records nor by an option; RB_ENOMEM. predictions_free() in any
 * case. */
int predictions_make(struct predictions *p, const struct simulation *s, struct rb_error *err);
void predictions_free(struct predictions *p);

/* New reference: the record. */
json_t *predictions_json(const struct predictions *p, const struct simulation *s);
/* All of it: the record. NULL: failed, as predictions_make(). */
json_t *simulate_predict(const struct simulation *s, struct rb_error *err);

void predictions_say(const json_t *record, FILE *to);
/* Do the counts of all that were compared agree, and was one compared? */
bool predictions_agree(const json_t *record);

#endif

/* forecast/calibrate/calibration.h - what measured runs cost, for the model.
 *
 * Quantiles of the work and costs of checkpoints and logs come from failure-free runs; detection,
 * repair and restore from those with failures. No record has the time of a message alone. So the
 * latency is the one with which the simulated failure-free run takes as long as the measured one.
 * docs/simulator.md says what each value is. */
#ifndef FORECAST_CALIBRATE_CALIBRATION_H
#define FORECAST_CALIBRATE_CALIBRATION_H

#include "forecast/calibrate/measured.h"
#include "forecast/calibrate/recorded.h"
#include "base/sample.h"

/* The values; the first six are in the order of struct costs, less bytes_per_s. */
enum cost {
	COST_LATENCY,
	COST_LOG,
	COST_CHECKPOINT,
	COST_DETECT,
	COST_REPAIR,
	COST_RESTORE,
	COST_REPLAY,
	COSTS
};

/* Of one failure-free run. NAN: it says nothing of this. */
struct failure_free_run {
	struct work work;
	double latency_s, checkpoint_s;
};

/* Of one recovery. NAN: not measured. */
struct outage {
	double detect_s, repair_s, restore_s;
};

struct calibration {
	struct measurements m;
	uint64_t seed; /* of the work with which the latency is fitted */
	int threads;
	struct costs given;     /* by options, which win; NAN: not given */
	struct work given_work; /* likewise; knots 0: not given */
	bool fitted;
	struct failure_free_run *failure_free;
	size_t failure_free_count;
	struct outage *outage;
	size_t outages;
	/* bytes per second or seconds; one value for each run or recovery */
	struct sample cost[COSTS];
	/* of all failure-free runs together; knots 0: none has quantiles */
	struct work work;
	double work_mean;
	size_t work_tables; /* roles that it was made from */
};

/* Values from all records with measured.fitted. m, seed, threads and what is given are set before;
 * what was fitted before is freed. RB_OK; RB_EINVAL: a record cannot be read, or no failure-free
 * one has quantiles; RB_ENOMEM. */
int calibration_fit(struct calibration *c, struct rb_error *err);
void calibration_free(struct calibration *c);

/* Costs and work that the options leave open: the medians, and 0 for what was not measured. */
void calibration_costs(const struct calibration *c, struct costs *costs, struct work *work);
/* Draw by a seed: work, latency and checkpoint of one failure-free run, and the costs of one
 * recovery. Options win. */
void calibration_draw(const struct calibration *c, uint64_t seed, struct costs *costs,
		      struct work *work);

/* The model of a recorded run, without its failures and with no costs. It points into r. */
struct model calibration_model(const struct recorded *r);

/* Why measured times cannot be used for the model, with the remedy; NULL: they can. A model in
 * which roles share cores would take them. */
const char *calibration_refuses_times(const struct calibration *c);

/* For the record. New reference. */
json_t *calibration_json(const struct calibration *c);
void calibration_say(const struct calibration *c, FILE *to);

#endif

/* forecast/calibrate/work_tables.h - the work of recorded roles as one table of quantiles. */
#ifndef FORECAST_CALIBRATE_WORK_TABLES_H
#define FORECAST_CALIBRATE_WORK_TABLES_H

#include "base/sample.h"
#include "forecast/time/model.h"

#include <jansson.h>

/* A mixture of the roles that were entered, with equal weights. */
struct work_tables {
	struct sample values;
	double seconds, iterations; /* timed */
	size_t tables;
};

/* Enter all roles of a record. RB_OK, or RB_ENOMEM. Quantiles that are missing or decrease are not
 * entered. */
int work_tables_add(struct work_tables *t, const json_t *record);
double work_tables_mean(const struct work_tables *t);
/* WORK_KNOTS_MAX quantiles. All but the last are measured. The last is the one with which the mean
 * of the table is the measured mean, as far as it lies between its neighbour and the largest value:
 * the largest of many times says little of the last percents. knots 0: nothing was entered. */
void work_tables_make(struct work_tables *t, struct work *w);
void work_tables_free(struct work_tables *t);

#endif

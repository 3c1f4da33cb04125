/* forecast/calibrate/measured.h - the measured runs of one kernel from which the simulator takes
 * its costs, or with which its predictions are compared. */
#ifndef FORECAST_CALIBRATE_MEASURED_H
#define FORECAST_CALIBRATE_MEASURED_H

#include "base/error.h"
#include "contract/kernel.h"

#include <jansson.h>

enum { MEASURED_TEXT = 128 };

/* Which runs are wanted. NULL, 0 and "": any. */
struct wanted {
	const char *path; /* a record, a folder of records, or the results of a sweep */
	const char *kernel;
	int np;
	int64_t steps;
	char (*value)[MEASURED_TEXT]; /* KERNEL_MAX_OPTIONS options of the kernel */
};

/* One record. */
struct measured {
	char *name; /* id in a sweep, or path */
	json_t *record;
	char *point; /* its planned kills as JSON, the kill point; NULL: a failure-free run */
	double loop_s;
	bool fitted; /* costs are taken from it. At first all are */
};

/* Those that can be used have equal options, but for the policy, the interval and the kills. */
struct measurements {
	const char *path;
	struct measured *list;
	size_t count, failure_free; /* all of them; of these, how many are failure-free */
	/* records there; records of another kernel, np or option than asked for */
	size_t read, others;
	json_t *left_out; /* {why: how many} of the rest */
	bool crowded;     /* in one of them, roles outnumber the cores of their host */
};

/* Read the records that are wanted. What is left open in w is set from them. RB_OK; RB_EINVAL, with
 * the remedy: none fits, they differ in something that matters for times, or none is failure-free;
 * RB_EIO; RB_ENOMEM. measurements_free() in any case. */
int measurements_read(struct measurements *m, struct wanted *w, struct rb_error *err);
void measurements_free(struct measurements *m);

#endif

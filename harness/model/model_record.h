/* harness/model/model_record.h - what records of `rollbench run` say about the parameters of the energy
 * model (harness/model/energy_model.h). */
#ifndef HARNESS_MODEL_MODEL_RECORD_H
#define HARNESS_MODEL_MODEL_RECORD_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

enum { MODEL_WHY = 160, MODEL_FROM = 256 };

struct model_samples {
	double *value; /* owned */
	size_t count, records; /* how many, and from how many records */
	char from[MODEL_FROM]; /* the last of these */
	char why_not[MODEL_WHY]; /* of the last record without one: the reason */
};

/* All zero before the first record. */
struct model_records {
	/* bare / protected of each pair of blocks of a duel under `all`: what logging, books and clocks
	 * leave of the speed. Global rollback has books and clocks, too, so lambda is rather larger. */
	struct model_samples lambda;
	/* Seconds of an iteration in normal operation, without checkpoints, over those while the one
	 * dead role catches up; of each record with one failure after which only that role rolled back. */
	struct model_samples mu;
	/* Watts of a package while the role that reads it waited at the front, over those while it
	 * computed; of each such role of a record with energy. */
	struct model_samples c;
	char kernel[32]; /* of the first record; all must be of one kernel and number of roles */
	json_int_t np;
};

/* Add the record in a file. RB_EINVAL: it is no record of a run that went well, or not of the same
 * kernel and roles as those before; RB_ENOMEM. A record that holds no sample is none of these. */
int model_record_add(struct model_records *r, const char *path, struct rb_error *err);
/* Of at least one sample. Sorts them. */
double model_samples_median(struct model_samples *s);
void model_records_free(struct model_records *r);

#endif

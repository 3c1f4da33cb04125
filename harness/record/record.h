/* harness/record/record.h - one run as one JSON object: schema "rollbench-run-1" (docs/record.md).
 *
 * Everything in it is measured or given. What was not measured is null, never zero. */
#ifndef HARNESS_RECORD_RECORD_H
#define HARNESS_RECORD_RECORD_H

#include "harness/job/launch.h"
#include "harness/spec/spec.h"

#include <jansson.h>

enum run_status {
	STATUS_OK,
	STATUS_WRONG,
	STATUS_USAGE, /* not a result class: exit status of bad input */
	STATUS_HANG,
	STATUS_ABORT,
	STATUS_OUT_OF_SPARES,
	STATUS_COUNT,
};

/* The values of enum run_status are the exit statuses of `rollbench run`. */
const char *status_name(enum run_status status);
enum run_status status_find(const char *name); /* STATUS_ABORT if unknown */

/* Read the ledgers of a finished launch. New reference; NULL if out of memory. */
json_t *record_make(const struct run_spec *spec, const struct kernel_plan *plan,
		    const struct launch *launch, enum run_status *status);

/* A file that will be there whole or not at all: checked for writability when opened, renamed
 * into place when saved; an existing file is untouched until then. */
#define RECORD_TEMPORARY ".rollbench-new." /* and six characters, in the same folder */

struct record_file {
	char path[SPEC_PATH], temporary[SPEC_PATH + 32];
	int fd;
};
int record_open(struct record_file *f, const char *path, struct rb_error *err);
int record_save(struct record_file *f, const json_t *record, struct rb_error *err);
/* The two halves of it: write and sync, and then put in place and sync the folder. */
int record_write(struct record_file *f, const char *text, size_t size, struct rb_error *err);
int record_place(struct record_file *f, struct rb_error *err);
/* What a record looks like in a file. To be freed; NULL if out of memory. */
char *record_text(const json_t *record);
void record_discard(struct record_file *f);
/* To a file by name, or "-": standard output; NULL: nowhere. RB_OK or RB_EIO. */
int record_deliver(const json_t *record, const char *path, struct rb_error *err);

#endif

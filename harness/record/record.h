/* harness/record/record.h - one run as one JSON object: schema "rollbench-run-1" (docs/record.md).
 *
 * Every value in it is measured or given. A value that was not measured is null and never zero. */
#ifndef HARNESS_RECORD_RECORD_H
#define HARNESS_RECORD_RECORD_H

#include "base/replacement.h"
#include "harness/options/spec.h"
#include "harness/record/status.h"

#include <jansson.h>

/* Was a job of the run ended and started again because a repair did not close? */
bool record_is_escalated(const json_t *record);

/* The record of a run that has ended, which follows from nothing but these: what was asked for, the
 * ledgers that the roles left in the run folder `dir` (with what they used, if that was metered),
 * and the events (run_folder_events()). New reference; NULL if out of memory, or if the events do
 * not say how the run ended. */
json_t *record_make(const struct run_spec *spec, const struct kernel_plan *plan, const char *dir,
		    const json_t *events, enum run_status *status);

/* A file that is written completely or not at all (base/replacement.h). Opening it checks that it
 * can be written. Saving puts it in place; an existing file stays as it is until then. */
struct record_file {
	char path[SPEC_PATH];
	struct replacement to;
};
int record_open(struct record_file *f, const char *path, struct rb_error *err);
/* Write the record there and put it in place. If f is not open: record_deliver(). */
int record_finish(struct record_file *f, const json_t *record, const char *path,
		  struct rb_error *err);
/* The two parts of that: write and sync; then put the file in place and sync the folder. */
int record_write(struct record_file *f, const char *text, size_t size, struct rb_error *err);
int record_place(struct record_file *f, struct rb_error *err);
/* The text of a record in a file. The caller frees it. NULL if out of memory. */
char *record_text(const json_t *record);
void record_discard(struct record_file *f);
/* Before long work: can a file of this name be written? It leaves nothing. RB_OK, RB_EINVAL or
 * RB_EIO. */
int record_probe(const char *path, struct rb_error *err);
/* Is it "-", for standard output? NULL: no file is asked for. */
bool record_is_to_stdout(const char *path);
/* Write the record to a file by name, or to standard output ("-"); NULL: to nothing. RB_OK or
 * RB_EIO. */
int record_deliver(const json_t *record, const char *path, struct rb_error *err);

#endif

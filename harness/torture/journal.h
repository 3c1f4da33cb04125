/* harness/torture/journal.h - what a torture has done so far: the file runs.jsonl of its results
 * folder.
 *
 * Each line is a JSON object. The first one says which runs these are: the options on which they
 * depend and the program. Then one line follows for each finished run ("run": its number) and for
 * each failure-free run ("reference": its problem). A line is written by one call and synced. What
 * a crash leaves of a line is cut off when the file is opened again; the run that it would have
 * described is made again. */
#ifndef HARNESS_TORTURE_JOURNAL_H
#define HARNESS_TORTURE_JOURNAL_H

#include "harness/options/spec.h"

struct journal {
	char path[SPEC_PATH];
	int fd;          /* locked; -1: there is no journal */
	json_t *runs;    /* number as text -> line */
	json_t *answers; /* problem as text -> line */
};

/* The journal of no folder: it keeps nothing beyond this process. */
int journal_none(struct journal *j, struct rb_error *err);
/* Open the one in folder dir, which is made if it does not exist. terms: the first line, as this
 * torture would write it. RB_OK; RB_EINVAL: it has other terms, or a line that no torture has
 * written; RB_EIO: it cannot be read or written, or another process has it open; RB_ENOMEM.
 * journal_close() may be called in all cases. */
int journal_open(struct journal *j, const char *dir, json_t *terms, struct rb_error *err);
void journal_close(struct journal *j);
/* The line of a finished run; NULL: it is not finished. Borrowed. */
const json_t *journal_run(const struct journal *j, int64_t i);
/* The line of a problem's failure-free run; NULL: there is none. Borrowed. */
const json_t *journal_answer(const struct journal *j, int problem);
/* Add a line; takes the reference. RB_OK, RB_EIO or RB_ENOMEM. */
int journal_add(struct journal *j, json_t *line, struct rb_error *err);

#endif

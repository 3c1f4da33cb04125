/* harness/watts/watts.h - --watts: readings of wattmeters beside a run, as a part of its record
 * (docs/energy.md). */
#ifndef HARNESS_WATTS_WATTS_H
#define HARNESS_WATTS_WATTS_H

#include "harness/job/launch.h"

#include <jansson.h>

struct watts;

/* Take a source: the name of a file, or "cmd:" and a command for sh. Readings of less than min_w
 * watts will be dropped. A file is read to the end, so that what is wrong with it is found before
 * anything runs. source NULL: *out is NULL, for which all functions below do nothing. RB_OK;
 * RB_EINVAL, RB_EIO or RB_ENOMEM with the line concerned. */
int watts_open(const char *source, double min_w, struct watts **out, struct rb_error *err);
/* launch_run() with its readings. Before the run, the command is started, and its first reading is
 * awaited. After the run, a reading from behind it is awaited from every node, but not for long;
 * then the command is ended, also after a run that failed. RB_OK; RB_LOST: interrupted by a signal
 * (launch_signal()), and nothing is left; RB_EINVAL: the command wrote something else than
 * readings, ended without one, or wrote nothing; else as launch_run(). */
int watts_launch(struct watts *w, const struct run_spec *spec, const char *parent,
		 enum launch_use use, struct launch *launch, struct rb_error *err);
/* Set record["watts"] from the readings and from the ledgers in the run folder `dir`. */
void watts_record(const struct watts *w, json_t *record, const char *dir);
void watts_free(struct watts *w);

#endif

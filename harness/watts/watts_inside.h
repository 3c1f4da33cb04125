/* harness/watts/watts_inside.h - what --watts knows after a run; for harness/watts only. */
#ifndef HARNESS_WATTS_WATTS_INSIDE_H
#define HARNESS_WATTS_WATTS_INSIDE_H

#include "harness/watts/meter_command.h"
#include "harness/watts/series.h"

struct watts {
	const char *source;  /* as it was given, not copied */
	const char *command; /* part of source; NULL: it is a file */
	double min_w;
	struct meter_command meter;
	double begun, ended; /* around the run, seconds since the epoch */
	struct series series;
	struct rb_error trouble;      /* why there is no series; "": there is one */
	char end[METER_COMMAND_TEXT]; /* how the command ended before the run did; "": it did not */
};

#endif

/* harness/record/status.h - what the result of a run is called. */
#ifndef HARNESS_RECORD_STATUS_H
#define HARNESS_RECORD_STATUS_H

enum run_status {
	STATUS_OK,
	STATUS_WRONG,
	STATUS_USAGE, /* not a result class, but the exit status for bad input */
	STATUS_HANG,
	STATUS_ABORT,
	STATUS_OUT_OF_SPARES,
	STATUS_COUNT,
};

/* The values of enum run_status are the exit statuses of `rollbench run`. */
const char *status_name(enum run_status status);
enum run_status status_find(const char *name); /* STATUS_ABORT if unknown */

#endif

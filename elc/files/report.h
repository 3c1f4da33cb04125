/* What a process has done, as a JSON object in a file, for whoever measures jobs from outside
 * (ELC_REPORT=PREFIX). */
#ifndef ELC_FILES_REPORT_H
#define ELC_FILES_REPORT_H

#include "elc/files/file.h"

#include <stdint.h>

/* Counts and seconds are those since this process has started. */
struct elc_report {
	int np, rank;
	const char *protocol, *log; /* as ELC_PROTOCOL and ELC_LOG call them */
	/* the moment at which ELC_TEST_KILL kills the process now, or why the library ends the job
	 * now; both NULL: the program has come to its end */
	const char *killed, *refused;
	int64_t safe_points;
	/* the line from which it was restarted (0: none), and the newest one that it knows to be
	 * committed; -1: it has not come to the end of elc_restarted() */
	int64_t restored, line;
	int64_t events, committed, transit, transit_bytes, orphans;
	/* of collective functions: those in the committed lines, and those that were served after a
	 * restart */
	int64_t results, served;
	double identify_s, stopped_s, write_s, line_s;
	double seconds, cpu_s; /* from elc_restarted() on; CPU time of all threads */
};

/* Write it to the file PREFIX<rank>.json, which appears as a whole. 0, or -1: `why` says why
 * not. */
int elc_report_write(const char *prefix, const struct elc_report *r, char why[ELC_TEXT]);
/* All processes are at the end of elc_restarted(): make the empty file PREFIXbegun. 0, or -1. */
int elc_report_begin(const char *prefix, char why[ELC_TEXT]);

#endif

/* harness/machine/metering.h - what a process of a run measures of itself while it plays a role.
 *
 * The time between two samples is a span. It is one phase of one iteration or, with less detail, of
 * all consecutive iterations in that phase. Spans go into the file of the role
 * (harness/machine/usage.h).
 *
 * One of the processes that are bound to a package reads its energy: the one that holds a name
 * which the kernel frees when its owner dies (an abstract socket). Roles that the failure plan lets
 * die try last, so that a planned death seldom takes the reader. */
#ifndef HARNESS_MACHINE_METERING_H
#define HARNESS_MACHINE_METERING_H

#include "base/error.h"
#include "ft/ledger.h"
#include "harness/machine/meter/meter.h"
#include "harness/machine/usage.h"

enum metering_detail { METERS_PHASES, METERS_ITERATIONS, METERS_OFF, METERS_DETAILS };
const char *metering_name(enum metering_detail detail);

struct metering {
	enum metering_detail detail;
	const char *dir; /* the run folder */
	struct meter *meter;
	struct usage *usage; /* of the role, NULL: none yet */
	int32_t incarnation;
	bool elect; /* a reader may be missing */
	bool begun; /* the loop, or a recovery before it */
	int claim;  /* the socket that holds the name of the package, -1: none */
	int phase;
	int64_t iter;
	struct meter_sample last;
	double read_s; /* CLOCK_MONOTONIC of the newest reading */
};

/* Call it when a process starts, bound or not. Meters that take long to start are started here.
 * With METERS_OFF all functions below do nothing. RB_OK or RB_ENOMEM. */
int metering_open(struct metering *m, enum metering_detail detail, const char *dir,
		  struct rb_error *err);
/* Call it when the process is bound to the core of its role. doomed: the plan lets the role die, so
 * it reads a package only if no other process does. rows: room for spans, if they are kept. RB_OK
 * or RB_EIO. */
int metering_adopt(struct metering *m, int role, int32_t incarnation, bool doomed, int64_t rows,
		   struct rb_error *err);
/* ft_hooks.enters */
void metering_enter(struct metering *m, int64_t iter, enum ledger_phase phase);
void metering_close(struct metering *m);

#endif

/* harness/machine/metering.h - what a process of a run measures of itself while it plays a role.
 *
 * Between two samples lies a span: one phase of one iteration, or, without that detail, of as many
 * iterations as follow each other in it. Spans go into the role's file (harness/machine/usage.h).
 *
 * The energy of a package is read by one of the processes bound to it: whoever holds a name that the
 * kernel gives back when its owner dies (an abstract socket). Roles that the failure plan lets die come
 * last, so that a planned death seldom takes the reader. */
#ifndef HARNESS_MACHINE_METERING_H
#define HARNESS_MACHINE_METERING_H

#include "base/error.h"
#include "ft/ledger.h"
#include "harness/meter/meter.h"
#include "harness/machine/usage.h"

enum metering_detail { METERS_PHASES, METERS_ITERATIONS, METERS_OFF, METERS_DETAILS };
const char *metering_name(enum metering_detail detail);

struct metering {
	enum metering_detail detail;
	const char *dir;       /* the run folder */
	struct meter *meter;
	struct usage *usage;   /* of the role, NULL: none yet */
	int32_t incarnation;
	bool elect;            /* a reader may be missing */
	bool begun;            /* the loop, or a recovery before it */
	int claim;             /* socket that holds the package's name, -1: none */
	int phase;
	int64_t iter;
	struct meter_sample last;
	double read_s;         /* CLOCK_MONOTONIC of the newest reading */
};

/* At a process's start, bound or not; where meters are slow to start, they do it here. detail METERS_OFF
 * is fine, and makes all that follows do nothing. RB_OK or RB_ENOMEM. */
int metering_open(struct metering *m, enum metering_detail detail, const char *dir,
		  struct rb_error *err);
/* Once bound to the role's core. doomed: the plan lets the role die, so it reads a package only if nobody
 * else does. rows: room for spans, if they are kept. RB_OK or RB_EIO. */
int metering_adopt(struct metering *m, int role, int32_t incarnation, bool doomed, int64_t rows,
		   struct rb_error *err);
/* ft_hooks.enters */
void metering_enter(struct metering *m, int64_t iter, enum ledger_phase phase);
void metering_close(struct metering *m);

#endif

/* harness/machine/usage.h - what each role used, by phase: one file per role in the run folder.
 *
 * The file is mapped shared like the ledger (ft/ledger.h). So it survives a SIGKILL up to the last
 * sample, and a replacement continues it. Units are seconds, counts and joules. A value that was
 * not measured is NaN. */
#ifndef HARNESS_MACHINE_USAGE_H
#define HARNESS_MACHINE_USAGE_H

#include "base/error.h"
#include "ft/ledger.h"
#include "harness/machine/meter/meter.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	USAGE_MAGIC = 0x52425547,
	USAGE_VERSION = 2,
	USAGE_PHASES = 16,
	USAGE_ROWS = 1 << 16,
	USAGE_WHY = 640,
	USAGE_FORMERS = 8
};

/* A phase in addition to those of a ledger: an iteration that was begun and given up. */
enum { USAGE_ABORTED = USAGE_PHASES - 1 };
const char *usage_phase_name(int phase);
/* Was the iteration given up, if the role enters this phase out of that one (ft_hooks.enters)? One
 * that has committed the iteration is in the next one when it sees a failure. */
static inline bool usage_gives_up(int was, int64_t in, enum ledger_phase phase, int64_t iter)
{
	return was == LEDGER_STEP && phase == LEDGER_REPAIR && iter == in;
}

struct usage_amount {
	double wall_s, cpu_s; /* CPU time of all threads of the process */
	double cycles, instructions;
	double energy_j[METER_DOMAINS]; /* of the package that it reads, if it reads one */
};

struct usage_sum {
	int64_t spans;
	struct usage_amount amount;
};

/* A span: time spent in one phase of one iteration. */
struct usage_row {
	int64_t iter;
	int32_t phase, incarnation;
	double ended; /* CLOCK_REALTIME */
	struct usage_amount amount;
};

/* Whether the process reads the energy of a package, and of which. */
struct usage_reader {
	int32_t package; /* METER_NONE: none */
	int32_t whole;   /* one process read it from the beginning of the loop */
	char source[32]; /* "": none can be read; why says the reason */
	char why[USAGE_WHY];
};

struct usage {
	uint32_t magic, version;
	int32_t role;
	/* the package that the process is bound to; METER_NONE if it is not exactly one */
	int32_t bound_to;
	char host[64];
	char cycles_why[METER_TEXT], instructions_why[METER_TEXT]; /* "" if counted */
	struct usage_reader reader; /* the process that plays the role */
	int32_t formers;            /* how many processes died; the first are kept in the list */
	struct usage_former {
		int32_t package; /* METER_NONE: it was not bound to exactly one */
		int32_t read;    /* the process read it */
		char host[64];
	} former[USAGE_FORMERS];
	struct usage_sum sum[USAGE_PHASES];
	int64_t capacity, rows, dropped; /* dropped: there was no room for them */
	struct usage_row row[];
};

/* Map the file of the role in folder dir, with room for at least `rows` rows if it is new. RB_OK or
 * RB_EIO. */
struct usage *usage_open(const char *dir, int role, int64_t rows, struct rb_error *err);
void usage_close(struct usage *u); /* NULL is fine */
/* The same for reading. NULL if there is none or it is incomplete. */
const struct usage *usage_read(const char *dir, int role);
void usage_unmap(const struct usage *u); /* NULL is fine */
/* Note on which host and package the process was that played the role, and whether it read the
 * package there. */
void usage_former(struct usage *u, bool read);
/* Add a span to the sums, and as a row if `row` is set. */
void usage_add(struct usage *u, const struct usage_row *span, bool row);

#endif

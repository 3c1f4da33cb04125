/* harness/machine/meter/meter.h - what a process used: energy of its package, CPU time, cycles and
 * instructions.
 *
 * Units are joules, seconds and counts, all as double. A value that is not measured is NaN (write
 * it as null). It is never zero and never estimated. meter_describe() says why it is absent and
 * what an administrator can do about it.
 *
 * Energy counters (RAPL) belong to packages (sockets), not to processes, so one process per package
 * reads them: the lowest role that is bound there (meter_is_reader). All others open with
 * METER_NONE. A package contains its core and uncore domains, and psys contains all packages: never
 * add those.
 *
 * These are the sources of energy; the first that has anything to read is used:
 *
 *   perf_event_uncore    the kernel's perf events by PAPI, rapl::RAPL_ENERGY_PKG..., 2^-32 J
 *   powercap             the files ROOT/sys/class/powercap/intel-rapl:N[:M]/energy_uj
 *   papi rapl            PAPI's component of that name, which reads MSRs itself, nanojoules
 *
 * Order of calls: open when the process is bound (and after MPI_Init), sample any number of times,
 * close. A meter belongs to the thread that opened it. PAPI's library stays initialised until the
 * process ends. */
#ifndef HARNESS_MACHINE_METER_METER_H
#define HARNESS_MACHINE_METER_METER_H

#include "base/error.h"

#include <hwloc.h>
#include <stdbool.h>

enum {
	METER_COUNTERS = 64, /* energy counters of one meter: packages x dies x domains */
	METER_PACKAGES = 16,
	METER_LINES = 96,
	METER_TEXT = 256,
	/* all packages of the machine: for the doctor, or if there is one process per node */
	METER_ALL = -1,
	METER_NONE = -2,    /* no energy: another process reads it, or no process does */
	METER_MAX_W = 1000, /* no domain draws more than this; see meter_sample() */
};

enum meter_domain {
	METER_PACKAGE, /* a whole socket without the memory */
	METER_CORE,
	METER_UNCORE, /* mostly the graphics */
	METER_DRAM,   /* memory; not part of the package */
	METER_PSYS,   /* the whole machine; its package is METER_ALL */
	METER_DOMAINS,
};
const char *meter_domain_name(enum meter_domain domain);

/* One energy counter. With several dies a package has several counters of a domain. */
struct meter_counter {
	enum meter_domain domain;
	int package;    /* as the operating system numbers it */
	char where[64]; /* zone or event, for people */
	/* "" while it can be read; otherwise since when it cannot, and the remedy */
	char why[METER_TEXT];
};

struct meter_sample {
	double wall_s; /* CLOCK_MONOTONIC */
	double cpu_s;  /* of all threads of this process */
	/* the same in two parts, with a coarser resolution (getrusage) */
	double user_s, system_s;
	/* in user mode; of this thread and those that it started later */
	double cycles, instructions;
	double energy_j[METER_COUNTERS]; /* since meter_open, by counter */
};

enum meter_state { METER_OK, METER_ABSENT };
struct meter_line {
	enum meter_state state;
	char what[16]; /* "cpu time", "cycles", "instr", "energy" */
	char text[METER_TEXT];
};

struct meter;

/* The root that the user has set, for tests and for replaying recorded trees: $ROLLBENCH_METER_ROOT
 * or "". */
const char *meter_root(void);
/* root: "" for this machine, or a folder with a tree of sys/ and proc/ in it (then only its files
 * are read, and PAPI's energy is left out). package: a number, METER_ALL or METER_NONE. Absent
 * meters are not an error. NULL if there is no memory or root is too long: *err says which. The
 * caller closes the meter. */
struct meter *meter_open(const char *root, int package, struct rb_error *err);
void meter_close(struct meter *m); /* NULL is fine */
/* Read the energy of that package, too, from now on. The meter was opened with METER_NONE. */
void meter_turn_to(struct meter *m, int package);
/* the source of energy; NULL: there is none */
const char *meter_source_name(const struct meter *m);

/* Read all meters. This never fails. A counter that vanishes, or whose value cannot be right, is
 * absent from then on. So is one that was not read for so long that it may have wrapped twice: its
 * range at METER_MAX_W, that is, 65 s for 2^32 x 2^-16 J and 262 s for 2^-14 J. docs/energy.md has
 * the cost of a sample. */
void meter_sample(struct meter *m, struct meter_sample *out);

/* after - before, both of the same meter; NaN for what is absent in either. meter_sample() has
 * already corrected wraps. out may be one of them. */
void meter_difference(const struct meter_sample *before, const struct meter_sample *after,
		      struct meter_sample *out);

/* The energy counters, *n of them, in the order of energy_j. The meter owns them. */
const struct meter_counter *meter_counters(const struct meter *m, int *n);
/* Joules of a domain of one package or METER_ALL, over all dies. NaN if there is none or if one of
 * them is absent, because an incomplete sum is not a measurement. */
double meter_joules(const struct meter *m, const struct meter_sample *s, int package,
		    enum meter_domain domain);

/* Write a line for each meter and each source that was tried, with state and reason. Returns how
 * many. */
int meter_describe(const struct meter *m, struct meter_line *out, int max);

/* Packages, by hwloc (harness/machine/meter/meter_packages.c). */
struct meter_package {
	int number;    /* as the operating system numbers it */
	int first_cpu; /* its first processing unit that this process may use */
};
/* All packages of which this process may use anything. Returns how many, at most max; 0 if hwloc
 * cannot tell. */
int meter_packages(struct meter_package *out, int max);
/* The package on which the calling process is bound; METER_NONE if its binding spans several. */
int meter_package_of_self(void);
/* The same for a given topology and set of processing units. */
int meter_packages_in(hwloc_topology_t topology, struct meter_package *out, int max);
int meter_package_of(hwloc_topology_t topology, hwloc_const_cpuset_t set);
/* Does role self read its package? It does if no lower role has the same node and package.
 * package[role] may be METER_NONE (reads nothing). node may be NULL: all are on one node. */
bool meter_is_reader(const int *node, const int *package, int self);

#endif

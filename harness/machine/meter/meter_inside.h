/* harness/machine/meter/meter_inside.h - what the parts of the meter share. Only they and their
 * tests include it. */
#ifndef HARNESS_MACHINE_METER_METER_INSIDE_H
#define HARNESS_MACHINE_METER_METER_INSIDE_H

#include "harness/machine/meter/meter.h"

#include <stdint.h>

enum { METER_PATH = 512 };

/* A PAPI event set: named events of one component, which are read at once, in the order in which
 * they were added. */
struct meter_set {
	int handle; /* PAPI's; -1: none */
	int count;
	bool running;
};

struct counter_state {
	double unit_j;     /* joules per count */
	uint64_t range;    /* the value at which it wraps to zero; 0: it does not wrap */
	double patience_s; /* longest time between two readings */
	uint64_t last, total;
	double last_s;
	int fd; /* powercap */
};

struct meter;

/* A source of energy. open() fills the counters by meter_add(). It returns RB_EIO with
 * why[METER_TEXT] if there is none that can be read. read() sets raw[i] of each counter or loses
 * the counter. */
struct meter_source {
	const char *name;
	bool of_root; /* reads files below the root */
	int (*open)(struct meter *m, char *why);
	void (*read)(struct meter *m, uint64_t *raw);
	void (*close)(struct meter *m);
};

struct meter {
	char root[METER_PATH];
	int package; /* as in meter_open */
	struct meter_package packages[METER_PACKAGES];
	int package_count;

	const struct meter_source *source; /* NULL: no energy */
	struct meter_counter counter[METER_COUNTERS];
	struct counter_state state[METER_COUNTERS];
	int counters;
	struct meter_set energy_set;

	struct meter_set count_set;
	int at[2]; /* place of cycles and instructions in the set; -1: absent */
	char count_why[2][METER_TEXT];
	const char *count_name[2];

	struct meter_line note[METER_LINES]; /* sources that were tried */
	int notes;
};

extern const struct meter_source meter_source_rapl, meter_source_uncore, meter_source_powercap;

/* Add a counter, which is absent until its why is emptied. -1 if there is no room. */
int meter_add(struct meter *m, enum meter_domain domain, int package, const char *where);
void meter_lose(struct meter *m, int i, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void meter_note(struct meter *m, enum meter_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool meter_wants(const struct meter *m, int package); /* does the meter want this package? */

/* PAPI (meter_papi.c). If a function fails, it writes a reason with a remedy to why[METER_TEXT]. */
int meter_set_open(struct meter_set *s, const char *component, bool inherit, char *why);
int meter_set_add(struct meter_set *s, const char *event); /* PAPI's code; its place is count - 1 */
int meter_set_start(struct meter_set *s, char *why);
int meter_set_read(const struct meter_set *s, long long *values); /* PAPI's code */
void meter_set_close(struct meter_set *s);

/* Cycles and instructions (meter_counts.c). */
void meter_counts_open(struct meter *m);
void meter_counts_read(struct meter *m, struct meter_sample *out);

/* What the kernel offers. It is asked before PAPI, because PAPI takes long to start. Tests with
 * their own PAPI replace these functions. 0: the kernel would count; otherwise errno. */
extern int (*meter_kernel_counts)(void);
extern bool (*meter_kernel_reads)(const struct meter_source *source);

/* Properties of the machine that explain why a meter is absent (meter_reasons.c). */
bool meter_is_virtual(const char *root);
int meter_paranoid(void); /* kernel.perf_event_paranoid; -99 without perf events */
bool meter_file_line(const char *path, char *out, size_t size); /* first line; errno if false */

#endif

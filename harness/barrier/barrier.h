/* harness/barrier/barrier.h - a synthetic benchmark of waiting. One rank enters a barrier late. It
 * measures what the other ranks consume in the barrier with each way to save power, and how much
 * later they can go on.
 *
 * See the power-log-n-roll paper, Sect. 5.4, Alg. 2 and Fig. 3. A repetition is a simple matrix
 * product on all ranks, then one barrier per technique in a random order; the last rank is late.
 * The late rank runs at full speed: only the ranks that wait save power, as at the front of a
 * recovery (ft/recovery/front_wait.h), where the last role has had work to do.
 *
 * `rollbench barrier` writes the plan into a folder and starts one `rollbench_worker
 * barrier-worker` per rank. Rank 0 writes what all of them measured into that folder. Units are
 * seconds, joules and counts; NaN means not measured. */
#ifndef HARNESS_BARRIER_BARRIER_H
#define HARNESS_BARRIER_BARRIER_H

#include "base/error.h"
#include "harness/machine/meter/meter.h"
#include "harness/machine/power/power.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { BARRIER_RANKS_MAX = 1024, BARRIER_REPETITIONS_MAX = 1000, BARRIER_ORDER_MAX = 4096 };

struct barrier_plan {
	int np;         /* ranks; the last one comes late */
	double seconds; /* the length of the product, and how late the late rank is */
	int repetitions;
	int matrix_order;
	uint64_t seed; /* for the order of the barriers */
	enum power_technique technique[POWER_TECHNIQUES];
	int techniques;
	/* the user named the techniques: nothing is measured if one of them cannot be used */
	bool asked;
	bool oversubscribed;
};

/* Set the techniques from a list, for instance "none,sleep". RB_EINVAL: err names what is wrong and
 * what there is. */
int barrier_set_techniques(struct barrier_plan *p, const char *list, struct rb_error *err);
/* Is the technique unusable for the calling process, on the first processing unit that it may use?
 * why has the reason with its remedy; it is "" if the technique can be used. */
bool barrier_absent(const struct barrier_plan *p, enum power_technique t, char why[POWER_TEXT]);
/* The barriers of a repetition: all places in technique[], in the order given by the seed. */
void barrier_sequence(const struct barrier_plan *p, int repetition, int place[POWER_TECHNIQUES]);
/* Write the plan into a folder, and read it. RB_OK or RB_EIO. */
int barrier_plan_save(const struct barrier_plan *p, const char *dir, struct rb_error *err);
int barrier_plan_load(struct barrier_plan *p, const char *dir, struct rb_error *err);

/* The body of each process; returns its exit status. */
int barrier_worker_main(const char *dir);

/* Matrices for the simple product (barrier_product.c). NULL: out of memory. The caller frees
 * them. */
struct barrier_product;
struct barrier_product *barrier_product_make(int order);
void barrier_product_free(struct barrier_product *p); /* NULL is fine */
/* Multiply repeatedly until CLOCK_MONOTONIC reads until_s; returns the number of products. */
double barrier_product_until(struct barrier_product *p, double until_s);
/* An entry of the product, after it was computed. */
double barrier_product_entry(const struct barrier_product *p, int row, int column);

/* What a rank reports about itself; plain memory, which is sent as it is. */
struct barrier_rank {
	char host[64], binding[128];
	int node;         /* the lowest rank on the same host */
	int package;      /* METER_NONE: the binding spans several packages */
	int reads_energy; /* that of its package */
	/* by technique: why it cannot be used; "": it can */
	char absent[POWER_TECHNIQUES][POWER_TEXT];
	char trouble[POWER_TECHNIQUES][POWER_TEXT]; /* what went wrong while it was used */
	int lines;
	struct meter_line line[METER_LINES];
};

/* A phase of a repetition on one rank; plain memory, too. */
struct barrier_sample {
	int measured; /* 0: this phase was left out */
	double wall_s, cpu_s, user_s, system_s, cycles, instructions;
	/* of the package, from the rank that reads it; psys from the reader of the first package */
	double energy_j[METER_DOMAINS];
	double products;
	/* CLOCK_MONOTONIC, before and after the barrier with its waiting and power technique */
	double entered_s, left_s;
};

/* A rank has repetitions x (1 + techniques) samples: for each repetition the product first, then
 * the barriers by place in technique[]. Index: sample[rank * barrier_phases() + ...]. */
int barrier_phases(const struct barrier_plan *p); /* of all repetitions */
/* place -1: the product */
int barrier_phase(const struct barrier_plan *p, int repetition, int place);

/* The measured values as JSON: the part of the record that only the ranks know. New reference. */
json_t *barrier_measured(const struct barrier_plan *p, const struct barrier_rank *rank,
			 const struct barrier_sample *sample);
/* The file in which rank 0 writes it. */
void barrier_measured_path(const char *dir, char *out, size_t size);
/* The whole record, schema "rollbench-barrier-1" (docs/record.md). measured and host
 * (harness/record/host.h) are stolen. */
json_t *barrier_record(const struct barrier_plan *p, json_t *measured, json_t *host, double wall_s);

#endif

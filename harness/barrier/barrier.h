/* harness/barrier/barrier.h - a synthetic benchmark of waiting: what ranks burn in a barrier into which one of
 * them comes late, with each way to save power, and how much later that lets them go on.
 *
 * power-log-n-roll paper, Sect. 5.4, Alg. 2 and Fig. 3. A repetition is a naive matrix product on all
 * ranks, then one barrier per technique in an order drawn by lot; the last rank comes late. The late
 * rank comes at full speed: only those who wait save power, as at the front of a recovery
 * (ft/recovery/front_wait.h), where whoever comes last has had work to do.
 *
 * `rollbench barrier` writes the plan into a folder and starts one `rollbench barrier-worker` per rank;
 * rank 0 leaves there what all of them measured. Seconds, joules, counts; NaN is not measured. */
#ifndef HARNESS_BARRIER_BARRIER_H
#define HARNESS_BARRIER_BARRIER_H

#include "base/error.h"
#include "harness/meter/meter.h"
#include "harness/power/power.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { BARRIER_RANKS_MAX = 1024, BARRIER_REPETITIONS_MAX = 1000, BARRIER_ORDER_MAX = 4096 };

struct barrier_plan {
	int np; /* ranks; the last one comes late */
	double seconds; /* of the product, and how late the late rank comes */
	int repetitions;
	int matrix_order;
	uint64_t seed; /* of the order of the barriers */
	enum power_technique technique[POWER_TECHNIQUES];
	int techniques;
	bool asked; /* for the techniques: nothing is measured if one of them cannot be used */
	bool oversubscribed;
};

/* "none,sleep": RB_EINVAL names what is wrong and what there is. */
int barrier_set_techniques(struct barrier_plan *p, const char *list, struct rb_error *err);
/* Whether the calling process cannot use a technique, on the first processing unit that it may use; why
 * says the reason with its remedy, "" if it can. */
bool barrier_absent(const struct barrier_plan *p, enum power_technique t, char why[POWER_TEXT]);
/* The barriers of a repetition: places in technique[], all of them, in the order drawn by the seed. */
void barrier_sequence(const struct barrier_plan *p, int repetition, int place[POWER_TECHNIQUES]);
/* In a folder. RB_OK or RB_EIO. */
int barrier_plan_save(const struct barrier_plan *p, const char *dir, struct rb_error *err);
int barrier_plan_load(struct barrier_plan *p, const char *dir, struct rb_error *err);

/* The body of each process; returns its exit status. */
int barrier_worker_main(const char *dir);

/* Matrices for the naive product (barrier_product.c). NULL: out of memory. The caller frees. */
struct barrier_product;
struct barrier_product *barrier_product_make(int order);
void barrier_product_free(struct barrier_product *p); /* NULL is fine */
/* Multiply again and again until CLOCK_MONOTONIC reads until_s; how many products that were. */
double barrier_product_until(struct barrier_product *p, double until_s);
/* An entry of the product, once it was computed. */
double barrier_product_entry(const struct barrier_product *p, int row, int column);

/* What a rank says of itself; plain memory, sent as such. */
struct barrier_rank {
	char host[64], binding[128];
	int node; /* the lowest rank on the same host */
	int package; /* METER_NONE: its binding spans several */
	int reads_energy; /* of its package */
	char absent[POWER_TECHNIQUES][POWER_TEXT]; /* by technique: why it cannot be used; "": it can */
	char trouble[POWER_TECHNIQUES][POWER_TEXT]; /* what went wrong in using it */
	int lines;
	struct meter_line line[METER_LINES];
};

/* A phase of a repetition on one rank; plain memory, too. */
struct barrier_sample {
	int measured; /* 0: this phase was left out */
	double wall_s, cpu_s, user_s, system_s, cycles, instructions;
	double energy_j[METER_DOMAINS]; /* of the package, by its reader; psys by that of the first */
	double products;
	double entered_s, left_s; /* CLOCK_MONOTONIC: the barrier, waiting and saving power included */
};

/* Samples of a rank: repetitions x (1 + techniques), the product first, then by place in
 * technique[]. sample[rank * barrier_phases() + ...]. */
int barrier_phases(const struct barrier_plan *p); /* of all repetitions */
int barrier_phase(const struct barrier_plan *p, int repetition, int place); /* place -1: the product */

/* What was measured as JSON: the part of the record that only the ranks know. New reference. */
json_t *barrier_measured(const struct barrier_plan *p, const struct barrier_rank *rank,
			 const struct barrier_sample *sample);
/* Where rank 0 leaves it. */
void barrier_measured_path(const char *dir, char *out, size_t size);
/* The whole record, schema "rollbench-barrier-1" (docs/record.md). measured is stolen. */
json_t *barrier_record(const struct barrier_plan *p, json_t *measured, const char *dir, double wall_s);
/* Why a technique has no numbers: its "absent" or its "trouble"; NULL if it has. */
const char *barrier_why_not(const json_t *technique);

/* The record as a table for people. RB_OK or RB_ENOMEM. */
int barrier_table(const json_t *record, FILE *to, struct rb_error *err);

#endif

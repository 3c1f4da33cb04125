/* forecast/study/exchange.h - how many bytes each rank sends to each other one: the exchange matrix
 * of a program, sparse, and what its shape says about the balance of the communication
 * (memory-constrained-logging paper, Sect. III-A).
 *
 * A row of the matrix is a sender, a column a receiver. A rank that sends to itself is on the
 * diagonal. */
#ifndef FORECAST_STUDY_EXCHANGE_H
#define FORECAST_STUDY_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exchange_entry {
	int32_t source, receiver;
	int64_t bytes; /* 0: messages without payload */
};

/* Channels by sender, and by receiver within a sender; each pair at most once. */
struct exchange {
	int np;
	size_t count;
	size_t *first; /* np + 1: where the channels of each sender begin */
	int32_t *source, *receiver;
	int64_t *bytes;
};

/* Sort `count` entries, which is done in place, and sum up those of the same pair. RB_OK;
 * RB_ENOMEM; RB_EINVAL: a rank that is none of np, a negative number of bytes, or more than
 * INT64_MAX bytes in all. Only what succeeded is to be freed. */
int exchange_build(struct exchange *e, int np, struct exchange_entry *entries, size_t count);
void exchange_free(struct exchange *e);

/* Bytes of all channels. diagonal: also of ranks to themselves. */
int64_t exchange_bytes(const struct exchange *e, bool diagonal);
/* Bytes that each rank sends, into load[np]. */
void exchange_load(const struct exchange *e, bool diagonal, int64_t *load);
/* The largest log that a rank has if everything is logged. A rank does not log what it sends to
 * itself. */
int64_t exchange_largest_log(const struct exchange *e);
/* The same of what a rank receives. -1: out of memory. */
int64_t exchange_largest_received(const struct exchange *e);
/* The matrix with receivers in the place of senders. Channel i of *t is channel index[i] of e; the
 * caller frees both. RB_OK or RB_ENOMEM. */
int exchange_transpose(struct exchange *t, size_t **index, const struct exchange *e);
/* The channel of this pair; e->count: there is none. */
size_t exchange_find(const struct exchange *e, int source, int receiver);
/* The most channels that a rank sends on, at least 1: room for one rank's list of them. */
size_t exchange_most_channels(const struct exchange *e);

/* Share of the bytes that stay within clusters of `cluster` consecutive ranks; 0 if there are no
 * bytes. */
double exchange_coverage(const struct exchange *e, int cluster, bool diagonal);

/* Sort load[np], ascending. Then load[k] is the k-th point of a Lorenz curve before summation. */
void load_sort(int64_t *load, int np);
/* The Gini index of sorted loads, G = 2 sum_k k x_k / (P sum x) - (P + 1) / P with k from 1: 0 if
 * all are equal, (P - 1) / P if one rank sends everything. 0 if nobody sends anything. */
double load_gini(const int64_t *sorted, int np);

#endif

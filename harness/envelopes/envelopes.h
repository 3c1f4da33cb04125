/* harness/envelopes/envelopes.h - what logging and comparing envelopes of messages costs: the
 * parameters T_log and T_m of the event-logging-checkpoint paper's cost model (Sect. 4.1), and how
 * many comparisons its sequential search needs.
 *
 * Logs are those of libelc (elc/core/log.h), in both forms. The search is the paper's
 * (Sect. 3.3.3), and is played for the model alone, with the nodes of its list in the order of
 * memory: libelc finds pairs in another way (elc/core/identify.h). No MPI is used. Times are CPU
 * times of the calling thread. */
#ifndef HARNESS_ENVELOPES_ENVELOPES_H
#define HARNESS_ENVELOPES_ENVELOPES_H

#include "elc/core/log.h"

#include <stdint.h>

/* A log that gets so many events, whose envelopes are of so many kinds, in a random order. */
struct envelopes_log {
	enum elc_form form;
	int kinds, events;
};

/* A list of different envelopes that were sent, in which each of the received ones is found and
 * removed; they were received in a random order. */
struct envelopes_search {
	int sent, received;
};

/* Nanoseconds of an event. Short logs are made several times. seed: of the order. Negative: out of
 * memory. */
double envelopes_log_ns(const struct envelopes_log *log, uint64_t seed);
/* Nanoseconds of a comparison; *comparisons: how many there were. Negative: out of memory. */
double envelopes_search_ns(const struct envelopes_search *search, uint64_t seed,
			   int64_t *comparisons);
/* The mean of the comparisons over all orders. removed: as it follows from the removal; else as the
 * paper prints it, which has a factor of 2 too much in one term (docs/papers.md, E-6). */
double envelopes_expected(const struct envelopes_search *search, bool removed);

#endif

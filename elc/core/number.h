/* Logs as numbers: how many messages were sent or received on each communicator. Tagging and
 * markers need no envelopes, except those of orphans, which their senders must recognise.
 *
 * A request has, per communicator, the number of messages of the interval that it closes, under a
 * key of its own; the envelopes of orphans of an earlier line that its sender has still to repeat
 * after a restart; and with markers, a sum over all envelopes. */
#ifndef ELC_CORE_NUMBER_H
#define ELC_CORE_NUMBER_H

#include "elc/core/log.h"

struct elc_process;

/* The key of the sum of mix(envelope) (base/mix.h): sums of different sets of messages differ, but
 * for a chance of 1 in 2^64. */
#define ELC_MIX UINT64_MAX

/* For the interface of the protocols: the envelopes that are still to be repeated, into the
 * request; identification, which also leaves in transit_mix the sum over what is in transit. -2:
 * the numbers are impossible. */
int elc_number_ask(struct elc_process *p, int dest);
int elc_number_identify(struct elc_process *p, int peer);

#endif

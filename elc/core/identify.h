/* Identification of in-transit and orphan messages (event-logging-checkpoint paper,
 * Sect. 3.3.3, 3.5, 4.2 and 5.2).
 *
 * At a line, process q compares what p has sent to it with what it has received from p:
 *   in-transit  sent before p's entry in the line, not received before q's: its payload belongs
 *               to the line;
 *   orphan      received before q's entry, sent after p's: p sends it again after a restart, and
 *               then it must be suppressed.
 *
 * A message may cross several lines. So in-transit and orphan messages of the line before are part
 * of the input, and those that are still in transit or still orphans stay (Sect. 3.5). The paper
 * says that an orphan cannot last for more than one line. This is so without a restart only: after
 * one, a process may reach its next entry before it has repeated its sends. */
#ifndef ELC_CORE_IDENTIFY_H
#define ELC_CORE_IDENTIFY_H

#include "elc/core/log.h"

/* All sets have the same form, which chooses the algorithm: removal of one pair of events at a time
 * (list), or of min(NUM) events of an envelope (counted).
 *
 * send: what p has sent to q in the interval; received: what q has received from p in it. Both are
 * used up. transit, orphan: in: the sets of the line before (empty for the first line); out: those
 * of this line. In a list, messages of equal envelope stay in the order of their sending; with
 * thousands of envelopes, these may stand in another order.
 *
 * Returns 0, or -1 without memory; then the contents of all four are undefined, and they can only
 * be freed. */
int elc_identify(struct elc_set *send, struct elc_set *received, struct elc_set *transit,
		 struct elc_set *orphan);

#endif

/* forecast/time/near_line.h - the cone of a line of roles that log nothing, without going through
 * its messages (private to forecast/time).
 *
 * A role executes the waits of the iterations from its front on, and its duplicate those before its
 * end. Each wait of an iteration asks both neighbours for a message of that iteration, and a
 * neighbour that is beyond it has it no more. So the duplicate of a role s ends in the newest
 * iteration before its front in which a neighbour n asks for something:
 *
 *   - n itself: front(s) - 1 if n has died; if it has not, front(s) - 2, because s has kept one
 *     iteration for it (ft/log/kept.h); neither before front(n);
 *   - the duplicate of n: the smaller of front(s) - 1 and the iteration before that in which it
 *     ends.
 *
 * What neighbours ask for themselves is found at once. From there each step along the line is at
 * least an iteration older, so a way that turns back asks for nothing new, and one way to the left
 * and one to the right from each such role find all duplicates. */
#ifndef FORECAST_TIME_NEAR_LINE_H
#define FORECAST_TIME_NEAR_LINE_H

#include "forecast/time/decision.h"

/* Can line_find_cone() be used? The pattern is a line of three roles or more, with data-flow
 * rollback, without logs, and all roles have the same entry in the recovery line. */
bool line_fits_cone(const struct model *m, const struct situation *s);
/* Enter into a decision that has its arrays, in which only the dead go back and nobody has a
 * duplicate, what decide() finds. Of the gaps, only those of messages that somebody can ask for.
 * RB_OK or RB_ENOMEM. */
int line_find_cone(struct decision *d, const struct model *m, const struct situation *s,
		   int threads);

#endif

/* ft/recovery/share.h - recorded results of reductions for roles that lack them (private to
 * ft/). */
#ifndef FT_RECOVERY_SHARE_H
#define FT_RECOVERY_SHARE_H

#include "ft/recovery/recovery.h"
#include "ft/role/role.h"

/* At the begin of an epoch with data-flow rollback: the first survivor that is furthest sends to
 * each role behind it the results of the iterations that this role has still to do up to there.
 * Every role calls it; those that neither send nor receive return at once. RB_OK or the link's
 * status. */
int share_results(struct role *r, const struct recovery *rec);

#endif

/* forecast/fast/tile_copies.h - the rows of tiles in which duplicates compute (private to
 * forecast/fast).
 *
 * A duplicate goes through the iterations from its role's entry in the line to its end, and the
 * role goes on behind that. So in no iteration do both send. If nothing is in a log, all duplicates
 * and all restarted roles get the same from a role: what it sends itself, or else what its
 * duplicate sends. A survivor differs from them in one iteration only: the last one that its
 * neighbour has completed, which this one has kept for it. Then a row is done without looking for
 * single messages. With logs, and beside roles that have died since the repair, each message is
 * looked for. */
#ifndef FORECAST_FAST_TILE_COPIES_H
#define FORECAST_FAST_TILE_COPIES_H

#include "forecast/fast/tile.h"

/* The decision of the last repair has duplicates or messages that are in no log: set up what is
 * needed for them. RB_OK, RB_ENOMEM, RB_EINVAL. tile_copies_free() in any case. */
int tile_copies_init(struct tile_rows *x, struct rb_error *err);
void tile_copies_free(struct tile_rows *x);
/* Of a special tile: set t->copies before a stretch, and copy when duplicates have ended to their
 * array behind it. */
void tile_copies_load(const struct tile_rows *x, struct tile *t, struct tile_copies *c);
void tile_copies_store(const struct tile_rows *x, const struct tile *t);
/* Row number k of the stretch, behind what comes before the programs of the roles: t->start becomes
 * t->next. */
void tile_copies_advance(const struct tile_rows *x, struct tile *t, int k);

#endif

/* ft/role/unprotected.h - iterations without protection, and the cost of protection (private to
 * ft/).
 *
 * `--policy off` runs the same kernel, messages and meters and nothing else. In a paired run the
 * two take turns by blocks of iterations, each block timed, so that both sides are measured in one
 * run on the same cores. */
#ifndef FT_ROLE_UNPROTECTED_H
#define FT_ROLE_UNPROTECTED_H

#include "ft/role/role.h"

/* The run is not protected at all (`--policy off`). */
bool is_unprotected(const struct role *r);
/* All iterations of such a run. RB_OK, RB_LOST, or negative with err filled. */
int iterate_unprotected(struct role *r, struct rb_error *err);
/* All iterations of a paired run; role 0 writes the seconds of each pair of blocks to the file
 * `paired` of the run folder. RB_OK, RB_LOST, or negative with err filled (RB_EIO: that file). */
int iterate_paired(struct role *r, struct rb_error *err);

#endif

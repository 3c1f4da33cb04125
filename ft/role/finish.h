/* ft/role/finish.h - the closing transaction of a role (private to ft/). */
#ifndef FT_ROLE_FINISH_H
#define FT_ROLE_FINISH_H

#include "ft/role/role.h"

/* Verify and write the result into the ledger. It changes no state, so it is repeated after a
 * failure. checkpoints: bytes that images and parity take in memory; constants: those of the kernel
 * that are outside of the heap. RB_OK, RB_LOST or RB_ENOMEM. */
int finish(struct role *r, size_t checkpoints, size_t constants);

#endif

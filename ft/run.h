/* ft/run.h - run a kernel to its verified end, also after failures. */
#ifndef FT_RUN_H
#define FT_RUN_H

#include "ft/config.h"

/* Body of each MPI process, between MPI_Init and the end. Roles are ranks 0..np-1, the other
 * ranks are spares. Results, timings and the reason of a failure are in the roles' ledgers.
 * A process that a repair has started (FT_SPAWN) joins that repair first.
 * RB_OK: the run is closed by agreement of all. *recovered: a failure happened, so the caller
 * leaves by _exit() rather than through MPI_Finalize (docs/ulfm-notes.md).
 * Negative: terminal; err says why and this process has noted it in its ledger. */
int ft_run(const struct ft_config *cfg, bool *recovered, struct rb_error *err);

#endif

/* kernels/stores.h - the option by which a kernel writes its results through the caches or past
 * them. Results are the same. */
#ifndef KERNELS_STORES_H
#define KERNELS_STORES_H

#include "contract/kernel.h"

#define STORES_HELP "how results are written: auto, cached, streaming (past the caches)"

enum stores { STORES_AUTO, STORES_CACHED, STORES_STREAMING };

/* What the option at this place says; auto if it says nothing. RB_OK, or RB_EINVAL with the reason
 * in err; streaming is refused if this build has no such stores. out may be NULL. */
int stores_argument(const struct kernel_args *args, int option, enum stores *out,
		    struct rb_error *err);

/* Does a kernel stream that reads and writes `bytes` in each iteration? With `auto` it does if they
 * are more than half of the last-level cache, which a core shares with others; never if the size of
 * this cache is not known. */
bool stores_stream(enum stores stores, size_t bytes);

#endif

/* kernels/stores.h - the option by which a kernel writes its results through the caches, or past
 * them by non-temporal stores ("streaming"). Results are the same. */
#ifndef KERNELS_STORES_H
#define KERNELS_STORES_H

#include "contract/kernel.h"

#define STORES_HELP                                                                             \
	"auto, cached, streaming (non-temporal, past the caches); auto: streaming if a role's " \
	"arrays exceed a core's share of the last-level cache"

enum stores { STORES_AUTO, STORES_CACHED, STORES_STREAMING };

/* What the option at this place says; auto if it says nothing. RB_OK, or RB_EINVAL with the option
 * in err. out may be NULL. */
int stores_argument(const struct kernel_args *args, int option, enum stores *out,
		    struct rb_error *err);

/* Bytes of the last-level cache divided by the cores that share it; 0: not known. `folder` is that
 * of Linux, STORES_CACHES, or of a test. (sysconf() of glibc 2.36 counts some caches tenfold, and
 * to load a topology takes longer than a recovery.) */
#define STORES_CACHES "/sys/devices/system/cpu/cpu0/cache"
size_t stores_cache_share(const char *folder);

/* Does a kernel whose iteration reads and writes `bytes` stream? share: of stores_cache_share();
 * with `auto` never if it is not known. */
bool stores_stream(enum stores stores, size_t bytes, size_t share);

/* The same in a kernel's create(). RB_OK, or RB_EINVAL if the option asks for stores that this
 * build does not have. */
int stores_choose(const struct kernel_args *args, int option, size_t bytes, bool *stream,
		  struct rb_error *err);

#endif

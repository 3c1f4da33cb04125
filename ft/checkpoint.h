/* ft/checkpoint.h - one file per role and generation, complete or not there at all.
 *
 * Written to a temporary name, fsynced, renamed, and the folder fsynced: after a death at any
 * instant the older generation is still whole. One that cannot be read is refused, and the older one
 * serves. The header names kernel, parameters, role and
 * iteration and carries a CRC32C for itself and for each region. Whether a checkpoint *counts*
 * is decided elsewhere: when all roles agree that they have written theirs. */
#ifndef FT_CHECKPOINT_H
#define FT_CHECKPOINT_H

#include "base/error.h"
#include "kernels/kernel.h"

#include <stdint.h>

struct checkpoint_id {
	char kernel[32];
	char params[128]; /* canonical text of the kernel's options */
	int32_t np, role;
	int64_t iter;     /* first iteration that is not in the checkpoint */
};

/* Called once half of the payload is in the temporary file; a kill may strike there. */
typedef void checkpoint_probe(void *ctx);

/* RB_OK, or RB_EIO with the path and the system's reason in err; then nothing was replaced. */
int checkpoint_write(const char *dir, const struct checkpoint_id *id,
		     const struct kernel_region *region, size_t count, checkpoint_probe *probe,
		     void *ctx, struct rb_error *err);
/* Load into the regions. RB_OK, RB_EIO, or RB_ECORRUPT with what is wrong; on failure the
 * regions may be partly overwritten. */
int checkpoint_read(const char *dir, const struct checkpoint_id *id,
		    const struct kernel_region *region, size_t count, struct rb_error *err);
/* Would checkpoint_read() take it, as far as can be told without the kernel's state? Reads all of it.
 * RB_OK, RB_EIO or RB_ECORRUPT. */
int checkpoint_check(const char *dir, const struct checkpoint_id *id, struct rb_error *err);
void checkpoint_remove(const char *dir, int role, int64_t iter);
void checkpoint_path(const char *dir, int role, int64_t iter, char *out, size_t size);

#endif

/* ft/line/checkpoint.h - images in files: one per role and generation, complete or not there at
 * all.
 *
 * A file is written under a temporary name, fsynced and renamed, and the folder is fsynced, so the
 * older generation stays whole after a death at any time. A file that cannot be read is refused,
 * and another level or the older one is used. A checkpoint *counts* when all roles agree that they
 * have theirs (ft/line/save.h). */
#ifndef FT_LINE_CHECKPOINT_H
#define FT_LINE_CHECKPOINT_H

#include "ft/line/image.h"

/* Called once half of the image is in the temporary file; a kill may hit there. */
typedef void checkpoint_probe(void *ctx);

/* RB_OK, or RB_EIO with the path and the system's reason in err; the older files are whole in any
 * case. Touches no memory but the image, so it may run beside the rest of the process. */
int checkpoint_write(const char *dir, int role, int64_t iter, const struct image *image,
		     checkpoint_probe *probe, void *ctx, struct rb_error *err);
/* Read and check. RB_OK, RB_ENOMEM, RB_EIO, or RB_ECORRUPT with what is wrong; then there is
 * nothing in the image. */
int checkpoint_read(const char *dir, const struct image_id *id, struct image *image,
		    struct rb_error *err);
/* The newest iteration, at most `most`, of which there is a file; 0: none. */
int64_t checkpoint_newest(const char *dir, int role, int64_t most);
void checkpoint_remove(const char *dir, int role, int64_t iter);
void checkpoint_path(const char *dir, int role, int64_t iter, char *out, size_t size);

#endif

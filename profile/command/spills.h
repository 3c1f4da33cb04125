/* profile/command/spills.h - the folder that the processes of a profiled program write into.
 * PROFILE_NAME in it is the profile of a program that has reached MPI_Finalize();
 * PROFILE_NAME.rank-N is what process N of one that died has left.
 *
 * The folder belongs to one run. A process that writes when the folder is gone fails, so nothing of
 * a process that outlives mpirun is left behind. */
#ifndef PROFILE_COMMAND_SPILLS_H
#define PROFILE_COMMAND_SPILLS_H

#include "profile/profile.h"

#include <stdbool.h>

#define PROFILE_NAME "profile"

/* Make a new folder beside the file `out`, or in the working folder if `out` is a device or FIFO.
 * folder: its path, of at most `size` bytes. RB_OK; RB_EINVAL: the path is too long; RB_EIO. */
int spills_folder(char *folder, size_t size, const char *out, struct rb_error *err);
/* Is there a complete part? */
bool spills_any(const char *folder);
/* Join the parts of all processes into one profile, which says what is missing. RB_OK; RB_EIO:
 * there are none; RB_EINVAL, RB_ENOMEM. profile_free() in any case. */
int spills_read(struct profile *p, const char *folder, struct rb_error *err);
/* The folder and all that is in it. RB_OK or RB_EIO. */
int spills_remove(const char *folder, struct rb_error *err);

#endif

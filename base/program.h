/* base/program.h - the program that is running, and the one of the ranks beside it. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The absolute path of the program, with links resolved; "" if /proc cannot tell it. */
void program_path(char *out, size_t size);

/* The program of the ranks of a job, in the same folder: only it is linked with the MPI. file: what
 * it was when this process, or the one that it was forked from, asked first. */
enum { PROGRAM_PATH = 4096 };
struct program_ranks {
	char path[PROGRAM_PATH];
	struct stat file; /* st_ino 0: it is not there */
};
const struct program_ranks *program_ranks(void);
/* Is it that file? */
bool program_same(const struct stat *one, const struct stat *other);

#endif

/* The commit of a line: a text file, ELC_DIR/line-N.commit, that rank 0 writes when all processes
 * have completed their parts. A line without it does not count. It has the checksums of all files
 * of the line, so files of different lines or runs cannot be mixed. */
#ifndef ELC_FILES_COMMIT_H
#define ELC_FILES_COMMIT_H

#include "elc/files/file.h"

/* Checksums of the two files of one rank. */
struct elc_sums_of_rank {
	uint32_t state, messages;
};

/* who->rank does not matter. Returns 0, or -1: then why says which file and why. */
int elc_commit_write(const char *dir, const struct elc_owner *who,
		     const struct elc_sums_of_rank *sums, char why[ELC_TEXT]);
/* sums: np elements to be filled. Refused: damaged, another program's, another number of
 * processes. */
int elc_commit_read(const char *dir, const struct elc_owner *who, struct elc_sums_of_rank *sums,
		    char why[ELC_TEXT]);

/* The newest line below `below` that has a commit file, good or not; 0: none, -1: the folder cannot
 * be read (errno). */
int64_t elc_commit_newest(const char *dir, int64_t below);
/* Take the commit away, so that the line does not count any more. A refused one is kept as
 * line-N.commit.refused. */
int elc_commit_remove(const char *dir, int64_t line);
int elc_commit_refuse(const char *dir, int64_t line);

#endif

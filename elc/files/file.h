/* One file of a line: a header, a body, and checksums of both. It is written under another name,
 * synchronised and renamed, so a file under its own name is complete, or damaged afterwards, which
 * the checksums show. */
#ifndef ELC_FILES_FILE_H
#define ELC_FILES_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ELC_PATH = 1024, ELC_TEXT = 1400, ELC_PROGRAM = 64, ELC_PROTOCOL = 16 };
enum { ELC_VERSION = 5 }; /* of the files of a line, its commit included */

/* Whose file it is. */
struct elc_owner {
	char program[ELC_PROGRAM];   /* its name without folders, shortened */
	char protocol[ELC_PROTOCOL]; /* its name, elc/core/protocol.h */
	int64_t line;
	int32_t np, rank;
};

enum elc_kind { ELC_FILE_STATE = 1, ELC_FILE_MESSAGES = 2 };

/* A body may lie in several pieces of memory. */
struct elc_piece {
	const void *data;
	size_t bytes;
};

/* ELC_DIR/line-N/rank-R.state or .messages, and its folder. */
void elc_file_path(char path[ELC_PATH], const char *dir, const struct elc_owner *who,
		   enum elc_kind kind);
void elc_file_folder(char path[ELC_PATH], const char *dir, int64_t line);

/* Write a file; its folder is made. *crc: the checksum of its body. Returns 0, or -1: then why says
 * which file and why. */
int elc_file_write(const char *dir, const struct elc_owner *who, enum elc_kind kind,
		   const struct elc_piece *piece, int pieces, uint32_t *crc, char why[ELC_TEXT]);

/* Read a file of this owner whose body has this checksum; what is damaged or another's is refused.
 * Returns its body (malloc), or NULL: then why says which file and why. */
void *elc_file_read(const char *dir, const struct elc_owner *who, enum elc_kind kind, uint32_t crc,
		    size_t *bytes, char why[ELC_TEXT]);

/* What is wrong with a file of this version; NULL: nothing. */
const char *elc_file_version(int64_t version);

/* Write a whole file durably: path.new, synchronise, rename, synchronise the folder. Returns 0, or
 * -1 with errno. */
int elc_write_durably(const char *path, const struct elc_piece *piece, int pieces);
/* Read a whole file (malloc, with a zero behind it), or NULL with errno. */
void *elc_read_whole(const char *path, size_t *bytes);

#endif

/* base/replacement.h - a file that is written whole or not at all.
 *
 * A regular file is replaced: the new contents are in a file beside it until they are complete.
 * Links are followed, so a link stays a link. What is no regular file (a device, a FIFO) is written
 * into and never replaced, and so is what this process has as its standard output or error,
 * whatever that is (/dev/stdout). */
#ifndef BASE_REPLACEMENT_H
#define BASE_REPLACEMENT_H

#include <stdio.h>

/* How the file beside it is named; six characters follow. */
#define REPLACEMENT_BESIDE ".rollbench-new."

struct replacement {
	int fd;       /* to write to; -1: not open */
	char *path;   /* where the links of the name lead to */
	char *beside; /* the file that will take its place; NULL: it is written into */
};

/* Opening a FIFO waits for its reader. 0; -1: errno says why, and nothing is open. */
int replacement_open(struct replacement *r, const char *path);
/* Before long work: can it be opened? Leaves and changes nothing, and waits for nobody. 0; -1:
 * errno says why. */
int replacement_probe(const char *path);
/* A stream to write with, which is closed before replacement_close(). NULL: errno says why. */
FILE *replacement_stream(const struct replacement *r);
/* All is written: put it into stable storage. 0; -1: errno says why, and it is discarded. */
int replacement_close(struct replacement *r);
/* After that, put it in place. 0; -1: errno says why, and it is discarded. 1: it is in place, but
 * its folder cannot be synced: errno says why. */
int replacement_place(struct replacement *r);
/* Leave what was there before as it was; nothing to do after replacement_place(). Keeps errno. */
void replacement_discard(struct replacement *r);

#endif

/* profile/gzip.h - files that may be compressed with gzip, as streams (private to profile/). */
#ifndef PROFILE_GZIP_H
#define PROFILE_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* Both fail with ENOPKG where ISA-L is needed and this build has not got it. */

/* Open a file for reading; it is decompressed if it begins as a gzip file does. Where the
 * compressed data are damaged or end too early, reading fails with EBADMSG. NULL with errno. */
FILE *gzip_reader(const char *path);

/* A stream that compresses into `to`, which stays the caller's; fclose() of the stream comes first.
 * NULL with errno. */
FILE *gzip_writer(FILE *to);

#endif

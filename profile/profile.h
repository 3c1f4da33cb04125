/* profile/profile.h - who sent how many messages and bytes to whom: a communication profile, in
 * memory and as a file.
 *
 * The file is text with the columns phase,kind,source,destination,count,bytes,size, sorted by them,
 * below a header of lines `# key: value`; docs/profile.md describes it. It may be compressed with
 * gzip. Ranks are those in MPI_COMM_WORLD; for a kernel of Rollbench they are its roles. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PROFILE_KIND = 32, PROFILE_RANKS_MAX = 1 << 24 };

/* All point-to-point messages from one rank to another in a phase. A channel without messages has
 * no entry. */
struct profile_channel {
	int32_t phase; /* what the program told MPI_Pcontrol(); 0 at the start */
	int32_t source, destination;
	int64_t count, bytes; /* count: at least 1; bytes: 0 or more */
};

/* All calls of one collective by one rank in a phase, on communicators of one size. */
struct profile_collective {
	int32_t phase, source;
	int32_t size;            /* ranks of the communicator */
	char kind[PROFILE_KIND]; /* "allreduce" */
	int64_t count, bytes;    /* count: calls, at least 1; bytes: what this rank had to send */
};

/* A line `# name: value` of the header. */
struct profile_key {
	char *name, *value;
};

struct profile {
	int np;
	char *incomplete; /* why something is missing; NULL: nothing is */
	/* program, arguments, host, mpi, date, and others; not np and complete */
	struct profile_key *key;
	/* sorted by phase, source, destination; no two for the same */
	struct profile_channel *channel;
	struct profile_collective *collective; /* sorted by phase, kind, source, size; likewise */
	size_t keys, channels, collectives;
	size_t key_room, channel_room, collective_room; /* of the lists; private */
};

/* An empty profile of np ranks. profile_free() in any case, also after a failure. */
void profile_init(struct profile *p, int np);
void profile_free(struct profile *p);

/* Set a line of the header; both texts are copied. RB_OK or RB_ENOMEM. */
int profile_set(struct profile *p, const char *name, const char *value);
const char *profile_get(const struct profile *p, const char *name); /* NULL: it has no such line */
/* RB_OK or RB_ENOMEM. */
int profile_set_incomplete(struct profile *p, const char *why);

/* Append. Entries may come in any order and more than once; profile_sort() must follow. RB_OK or
 * RB_ENOMEM. */
int profile_add_channel(struct profile *p, const struct profile_channel *c);
int profile_add_collective(struct profile *p, const struct profile_collective *c);
/* The order of entries, for qsort(); 0: both are for the same. */
int profile_compare_channels(const void *a, const void *b);
int profile_compare_collectives(const void *a, const void *b);
/* Sort, and add up entries for the same. */
void profile_sort(struct profile *p);
/* Add up the phases: all entries are of phase 0 then. */
void profile_sum_phases(struct profile *p);
/* Keep one phase only. RB_OK, or RB_EINVAL: it has no entry. */
int profile_keep_phase(struct profile *p, int phase, struct rb_error *err);

/* Read a file into a new profile. np: how many ranks it must be of; 0: any number. RB_OK; RB_EIO;
 * RB_EINVAL with FILE:LINE, what is wrong, and the remedy: not a profile, another version,
 * truncated, of another number of ranks, a rank out of range, a negative number, a row out of
 * order. profile_free() in any case. */
int profile_read(struct profile *p, const char *path, int np, struct rb_error *err);

/* Write a sorted profile, compressed if the name ends in .gz. A file of that name is replaced only
 * when the new one is complete. RB_OK, or RB_EIO with a message that names the file. */
int profile_write(const struct profile *p, const char *path, struct rb_error *err);
/* The same, uncompressed, to an open file. The caller looks at ferror(). */
void profile_print(const struct profile *p, FILE *to);

/* Does the name end as that of a profile does: .csv or .csv.gz? */
bool profile_is_name(const char *name);

#endif

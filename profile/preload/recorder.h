/* profile/preload/recorder.h - what this process has counted so far. It has no MPI. */
#ifndef PROFILE_PRELOAD_RECORDER_H
#define PROFILE_PRELOAD_RECORDER_H

#include "profile/preload/kinds.h"
#include "profile/preload/tables.h"

#include <pthread.h>

enum { RECORDER_PATH = 4096 };

struct recorder {
	/* between MPI_Init() and MPI_Finalize() of a process that is profiled */
	bool on;
	bool threads; /* several threads may call MPI at the same time */
	bool lost;    /* something could not be counted for want of memory */
	int np, rank; /* of MPI_COMM_WORLD */
	int32_t phase;
	struct table messages, collectives;
	int64_t outside, outside_bytes; /* messages to processes that are not in MPI_COMM_WORLD */
	int64_t one_sided, one_sided_bytes; /* calls of one-sided communication, which no row has */
	pthread_mutex_t lock;
	char path[RECORDER_PATH]; /* of the profile */
};

extern struct recorder recorder;

/* Calls within a call of MPI are part of it, and are not counted. */
extern __thread int recorder_inside __attribute__((tls_model("initial-exec")));

static inline bool recorder_counts(void)
{
	return recorder.on && recorder_inside == 0;
}

/* A message to a rank of MPI_COMM_WORLD; -1: to a process outside. */
void recorder_message(int rank, int64_t bytes);
/* A call of a collective on a communicator of so many ranks. */
void recorder_collective(enum kind kind, int size, int64_t bytes);
/* A call of one-sided communication. */
void recorder_one_sided(int64_t bytes);
void recorder_phase(int phase);

/* What a key of the tables says. */
static inline int32_t key_phase(uint64_t key)
{
	return (int32_t)((uint32_t)(key >> 32) ^ UINT32_C(0x80000000));
}

static inline int key_rank(uint64_t key)
{
	return (int)(uint32_t)key;
}

enum { KEY_SIZE_BITS = 24 };

static inline enum kind key_kind(uint64_t key)
{
	return (enum kind)((uint32_t)key >> KEY_SIZE_BITS);
}

static inline int key_size(uint64_t key)
{
	return (int)((uint32_t)key & ((UINT32_C(1) << KEY_SIZE_BITS) - 1));
}

extern const char *const kind_names[KIND_COUNT];

#endif

#include "profile/preload/recorder.h"

struct recorder recorder = { .lock = PTHREAD_MUTEX_INITIALIZER };
__thread int recorder_inside;

#define KIND_TEXT(name) #name,
const char *const kind_names[KIND_COUNT] = { KINDS(KIND_TEXT) };

/* The phase is biased, so that keys are in the order of phases. */
static uint64_t key_of(uint32_t low)
{
	return (uint64_t)((uint32_t)recorder.phase ^ UINT32_C(0x80000000)) << 32 | low;
}

static void add(struct table *t, uint32_t low, int64_t bytes)
{
	if (recorder.threads)
		pthread_mutex_lock(&recorder.lock);
	if (!table_add(t, key_of(low), bytes))
		recorder.lost = true;
	if (recorder.threads)
		pthread_mutex_unlock(&recorder.lock);
}

void recorder_message(int rank, int64_t bytes)
{
	if (rank >= 0) {
		add(&recorder.messages, (uint32_t)rank, bytes);
		return;
	}
	if (recorder.threads)
		pthread_mutex_lock(&recorder.lock);
	recorder.outside++;
	recorder.outside_bytes += bytes;
	if (recorder.threads)
		pthread_mutex_unlock(&recorder.lock);
}

void recorder_collective(enum kind kind, int size, int64_t bytes)
{
	add(&recorder.collectives, (uint32_t)kind << KEY_SIZE_BITS | (uint32_t)size, bytes);
}

void recorder_one_sided(int64_t bytes)
{
	if (recorder.threads)
		pthread_mutex_lock(&recorder.lock);
	recorder.one_sided++;
	recorder.one_sided_bytes += bytes;
	if (recorder.threads)
		pthread_mutex_unlock(&recorder.lock);
}

void recorder_phase(int phase)
{
	if (recorder.threads)
		pthread_mutex_lock(&recorder.lock);
	recorder.phase = phase;
	if (recorder.threads)
		pthread_mutex_unlock(&recorder.lock);
}

#include "ft/role/finish.h"

#include "base/clock.h"
#include "ft/role/iterate.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

static void write_hash(struct role *r)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	size_t count = r->cfg->kernel->regions(r->kernel, region);
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;

	XXH3_128bits_reset(state);
	for (size_t i = 0; i < count; i++)
		XXH3_128bits_update(state, region[i].data, region[i].bytes);
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	r->ledger->hash[0] = hash.low64;
	r->ledger->hash[1] = hash.high64;
}

static void write_verdict(struct ledger *l, const struct kernel_verdict *v)
{
	snprintf(l->verdict_what, sizeof l->verdict_what, "%s", v->what);
	snprintf(l->verdict_note, sizeof l->verdict_note, "%s", v->note);
	l->value = v->value;
	l->reference = v->reference;
	l->tolerance = v->tolerance;
	l->verdict_ok = v->ok;
}

static int64_t memory_of(const struct log *l)
{
	return (int64_t)(arena_mapped(&l->arena) + arena_mapped(&l->recent) +
			 l->capacity * sizeof *l->entry);
}

/* Bytes that malloc() has given out to all of the process, the MPI library included, in its arenas
 * and as mappings of their own, and those of the kernel's constants where they are kept outside of
 * it; -1: this C library does not tell. Payloads of the log are not in it, since the log maps
 * memory for them itself. */
static int64_t heap_in_use(size_t constants)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
	const struct mallinfo2 m = mallinfo2();

	return (int64_t)(m.uordblks + m.hblkhd + constants);
#else
	(void)constants;
	return -1;
#endif
}

static void note_memory(struct role *r, size_t checkpoints)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) == 0)
		r->ledger->rss_peak = (int64_t)usage.ru_maxrss * 1024;
	r->ledger->checkpoint_memory = (int64_t)checkpoints;
	r->ledger->log_memory = memory_of(&r->ports.logging.log);
	if (ports_received(&r->ports))
		r->ledger->log_memory += memory_of(ports_received(&r->ports));
}

int finish(struct role *r, size_t checkpoints, size_t constants)
{
	struct kernel_verdict verdict = { .what = "" };

	r->ledger->aborted = r->ledger->begun - r->ledger->executed;
	if (r->ledger->loop_s < 0)
		r->ledger->loop_s = clock_now() - r->ledger->t_loop;
	r->ledger->iterations = r->front;
	r->ledger->heap = heap_in_use(constants);
	RB_TRY(iterate_release(r));
	ports_begin(&r->ports, r->front, false);
	role_enter(r, LEDGER_FINISH);
	RB_TRY(role_barrier(r)); /* so that meters end where the last role does, as loop_s does */
	role_enter(r, LEDGER_VERIFY);
	RB_TRY(r->cfg->kernel->verify(r->kernel, r->ports.top, &verdict));
	RB_TRY(ports_flush(&r->ports));
	RB_TRY(link_wait(&r->link, &r->replay.requests));
	RB_TRY(watch_recovery(r));
	note_memory(r, checkpoints);
	write_verdict(r->ledger, &verdict);
	write_hash(r);
	r->ledger->finished_at = r->front;
	role_enter(r, LEDGER_CLOSE);
	ledger_sync(r->ledger);
	return RB_OK;
}

#include "ft/recovery/repair.h"

#include "base/clock.h"
#include "base/status.h"
#include "ft/recovery/extent.h"

#include <mpi-ext.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS_MAX = 3 }; /* tries to start a process that fail, in one repair */

/* One attempt. After a pass that does not close, only `whole`, `failed_starts` and what this role
 * has listed are used again. */
struct pass {
	MPI_Comm world;
	int size;
	struct role_status *all; /* size entries, by rank in world */
	struct extent extent;
	bool whole; /* the living have agreed on members->world: nothing to shrink */
	int32_t failed_starts;
	bool starved; /* this process ran out of memory: it tells the others and gives up */
};

static void does(const struct membership *members, enum ft_activity what, bool begins)
{
	ft_does(&members->cfg->hooks, what, begins);
}

static bool fence(const struct membership *members, MPI_Comm comm, bool ok)
{
	does(members, FT_AGREEING, true);
	ok = membership_fence(comm, ok);
	does(members, FT_AGREEING, false);
	return ok;
}

/* The agreement right after the shrink proves that every process has built the communicator
 * before anyone uses (and perhaps revokes) it. */
static bool shrink(struct pass *p, const struct membership *members)
{
	bool ok;

	does(members, FT_SHRINKING, true);
	ok = MPIX_Comm_shrink(members->world, &p->world) == MPI_SUCCESS;
	does(members, FT_SHRINKING, false);
	if (!ok)
		return false;
	MPI_Comm_set_errhandler(p->world, MPI_ERRORS_RETURN);
	MPI_Comm_size(p->world, &p->size);
	return fence(members, p->world, true);
}

static bool gather_statuses(struct pass *p, const struct membership *members,
			    const struct role_status *self, const struct ports *ports)
{
	struct role_status *grown = realloc(p->all, (size_t)p->size * sizeof *p->all), mine = *self;

	p->starved = !grown || extent_list(&p->extent, members->cfg, self, ports) != RB_OK;
	mine.failed_starts = p->failed_starts;
	mine.listed = (int32_t)p->extent.listed;
	p->all = grown ? grown : p->all;
	if (!p->starved && MPI_Allgather(&mine, sizeof mine, MPI_BYTE, p->all, sizeof mine,
					 MPI_BYTE, p->world) == MPI_SUCCESS)
		return true;
	MPIX_Comm_revoke(p->world);
	return false;
}

/* Coordinated checkpoints count for all roles or for none, so all entries in the line are equal.
 * Roles report the newest one that counts; if no role is left to report it, the ledgers have it
 * (recall()). */
static void draw_line(struct recovery *rec, int np, int64_t newest)
{
	for (int r = 0; r < np; r++)
		rec->line[r] = newest;
}

/* Evaluate the statuses of the living roles. */
static void take_statuses(struct pass *p, int np, bool dataflow, struct recovery *rec)
{
	int64_t newest = 0, refused = -1, older = INT64_MAX;
	bool able = true;

	rec->epoch = 0;
	for (int r = 0; r < np; r++) {
		rec->died[r] = true;
		rec->copies[r] = 0;
	}
	for (int i = 0; i < p->size; i++) {
		const struct role_status *s = &p->all[i];

		rec->epoch = s->epoch > rec->epoch ? s->epoch : rec->epoch;
		/* A process that has just joined does not know. */
		p->failed_starts =
			s->failed_starts > p->failed_starts ? s->failed_starts : p->failed_starts;
		if (s->role < 0)
			continue;
		rec->died[s->role] = false;
		rec->front[s->role] = s->front;
		rec->copies[s->role] = s->copies;
		newest = s->line > newest ? s->line : newest;
		refused = s->refused > refused ? s->refused : refused;
		able = able && !s->unable;
		if (s->refused >= 0 && s->older < older)
			older = s->older;
	}
	rec->epoch++;
	rec->fallback = refused >= 0 && refused >= newest;
	draw_line(rec, np, rec->fallback ? older : newest);
	/* After a data-flow rollback, logs lack the messages of reductions whose results were
	 * known. So if data-flow rollback is not possible, all roles go back. */
	rec->fallback = rec->fallback || !able;
	rec->dataflow = dataflow && !rec->fallback;
}

/* Lost roles, in ascending order, go to spares in rank order. If there are too few, the pass ends
 * without a new epoch. */
static void assign_roles(struct pass *p, int np, struct recovery *rec)
{
	int spare = 0;

	rec->lost = rec->shortage = 0;
	for (int r = 0; r < np; r++) {
		rec->rolled[r] = rec->died[r] || rec->fallback;
		if (!rec->died[r])
			continue;
		rec->lost++;
		while (spare < p->size && p->all[spare].role >= 0)
			spare++;
		if (spare < p->size)
			p->all[spare].role = r;
		else
			rec->shortage++;
	}
	for (int i = 0; i < p->size; i++)
		if (p->all[i].role >= 0)
			rec->rank[p->all[i].role] = i;
}

/* The newest checkpoint that counts, from the ledgers, since all roles have died. One host may not
 * see yet what another host has written to the shared folder. */
static bool recall(const struct pass *p, const struct membership *members, struct recovery *rec)
{
	int64_t seen = ledger_newest_line(members->cfg->dir, members->cfg->np), newest;

	if (MPI_Allreduce(&seen, &newest, 1, MPI_INT64_T, MPI_MAX, p->world) != MPI_SUCCESS) {
		MPIX_Comm_revoke(p->world);
		return false;
	}
	draw_line(rec, members->cfg->np, newest);
	return true;
}

/* Start a missing process and let it join. From then on it is a spare in members->world, even if
 * this repair fails. Each is started alone, because PRRTE ends all processes that were started
 * together when one of them dies. Always RB_LOST: one more pass, which may start the next one. */
static int spawn_missing(struct pass *p, struct membership *members)
{
	const struct ft_config *cfg = members->cfg;
	MPI_Comm between, merged;
	bool ok;

	does(members, FT_SPAWNING, true);
	ok = MPI_Comm_spawn(cfg->program, cfg->program_args, 1, MPI_INFO_NULL, 0, p->world,
			    &between, MPI_ERRCODES_IGNORE) == MPI_SUCCESS;
	does(members, FT_SPAWNING, false);
	p->failed_starts++;
	if (!fence(members, p->world, ok))
		return RB_LOST;
	MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
	if (MPI_Intercomm_merge(between, 0, &merged) != MPI_SUCCESS)
		return RB_LOST;
	MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
	if (!fence(members, merged, true))
		return RB_LOST;
	p->failed_starts--;
	members->world = merged;
	p->whole = true;
	return RB_LOST;
}

/* A communicator of the living: a new one, unless all of them have just made one. */
static bool gather_living(struct pass *p, struct membership *members)
{
	bool whole = p->whole;

	p->whole = false;
	if (!whole)
		return shrink(p, members);
	p->world = members->world;
	return MPI_Comm_size(p->world, &p->size) == MPI_SUCCESS;
}

/* All processes call this, even after a local failure. RB_OK, RB_LOST: one more pass, or RB_ENOMEM:
 * this process has run out of memory, and the others make that pass without it. */
static int pass_fence(const struct pass *p, const struct membership *members, bool ok)
{
	if (fence(members, p->world, ok))
		return RB_OK;
	return p->starved ? RB_ENOMEM : RB_LOST;
}

/* All that the pass is decided from. What is gathered second follows from the statuses, so all
 * members take part in the same collective. A member that fails revokes the communicator, so nobody
 * waits for it. */
static bool learn(struct pass *p, const struct membership *members, const struct role_status *self,
		  const struct ports *mine, struct recovery *rec)
{
	int rc;

	if (!gather_statuses(p, members, self, mine))
		return false;
	take_statuses(p, members->cfg->np, ft_uses_dataflow(members->cfg), rec);
	assign_roles(p, members->cfg->np, rec);
	p->extent.count = 0;
	if (rec->shortage > 0)
		return true;
	if (rec->lost == members->cfg->np)
		return recall(p, members, rec);
	if (rec->fallback) /* all go back, whatever the logs have */
		return true;
	rc = extent_gather(&p->extent, p->world, p->all, p->size, rec, members->cfg->np);
	p->starved = rc == RB_ENOMEM;
	return rc == RB_OK;
}

/* RB_OK: closed. RB_LOST: try again. RB_ESPARES: decided by all. Every process calls the fences in
 * the same order, even after a local failure. */
static int attempt(struct pass *p, struct membership *members, const struct role_status *self,
		   const struct ports *mine, struct recovery *rec)
{
	int rank;
	bool ok;

	if (!gather_living(p, members))
		return RB_LOST;
	rec->t_shrunk = clock_now();
	does(members, FT_GATHERING, true);
	ok = learn(p, members, self, mine, rec);
	does(members, FT_GATHERING, false);
	RB_TRY(pass_fence(p, members, ok));
	if (rec->shortage > 0)
		return members->cfg->replace == FT_SPAWN && p->failed_starts < STARTS_MAX
			       ? spawn_missing(p, members)
			       : RB_ESPARES;
	MPI_Comm_rank(p->world, &rank);
	rec->role = p->all[rank].role;
	return RB_OK;
}

/* A failed constructor keeps the MPI library's lock on context ids; then a constructor on a
 * communicator with a higher id waits for ever (docs/reproducers/shrink-after-dup.c). One that
 * succeeds on a communicator with a low id, like this one, releases the lock. */
static void unlock_constructors(void)
{
	MPI_Comm copy;

	if (MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS)
		MPI_Comm_free(&copy);
}

int repair(struct membership *members, const struct role_status *self, const struct ports *mine,
	   struct recovery *rec)
{
	struct pass p = { .whole = members->spawned };
	int rc;

	members->spawned = false;
	while ((rc = attempt(&p, members, self, mine, rec)) == RB_LOST)
		unlock_constructors();
	/* The old communicator is not freed: MPI implementations do not free broken ones reliably,
	 * and repairs are few. */
	if (rc == RB_OK) {
		members->world = p.world;
		if (rec->role >= 0)
			rc = extent_close(&p.extent, members->cfg, rec);
	}
	free(p.all);
	extent_free(&p.extent);
	return rc;
}

#include "ft/recovery/repair.h"

#include "base/clock.h"
#include "base/status.h"
#include "ft/recovery/closure.h"

#include <mpi-ext.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS_MAX = 3 }; /* tries to start processes in one repair */

/* One attempt; nothing in it outlives a pass that does not close, but the two at the end. */
struct pass {
	MPI_Comm world, workers;
	int size;
	struct role_status *all; /* size entries, by rank in world */
	int64_t *hole;        /* np * np, workers only */
	bool whole;           /* the living have agreed on members->world: nothing to shrink */
	int starts;           /* how often processes were started */
};

int recovery_init(struct recovery *rec, int np)
{
	memset(rec, 0, sizeof *rec);
	rec->role = -1;
	rec->front = calloc((size_t)np, sizeof *rec->front);
	rec->died = calloc((size_t)np, sizeof *rec->died);
	rec->rolled = calloc((size_t)np, sizeof *rec->rolled);
	return rec->front && rec->died && rec->rolled ? RB_OK : RB_ENOMEM;
}

void recovery_free(struct recovery *rec)
{
	free(rec->front);
	free(rec->died);
	free(rec->rolled);
}

/* Everyone arrives here; true only if everyone brings ok and nobody died unnoticed. */
static bool fence(MPI_Comm comm, bool ok)
{
	int flag = ok;

	return MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag;
}

/* A process that a repair has started meets those who did so; see grow(). */
static int join(struct membership *members, MPI_Comm parents)
{
	bool ok;

	MPI_Comm_set_errhandler(parents, MPI_ERRORS_RETURN);
	members->spawned = true;
	if (MPI_Intercomm_merge(parents, 1, &members->world) != MPI_SUCCESS)
		return RB_LOST;
	ok = MPI_Comm_set_errhandler(members->world, MPI_ERRORS_RETURN) == MPI_SUCCESS;
	return fence(members->world, ok) ? RB_OK : RB_LOST;
}

int membership_form(struct membership *members, const struct ft_config *cfg)
{
	MPI_Comm parents;
	int rank;

	members->cfg = cfg;
	members->np = cfg->np;
	members->workers = MPI_COMM_NULL;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		return join(members, parents);
	if (MPI_Comm_dup(MPI_COMM_WORLD, &members->world) != MPI_SUCCESS)
		return RB_EMPI;
	MPI_Comm_set_errhandler(members->world, MPI_ERRORS_RETURN);
	MPI_Comm_rank(members->world, &rank);
	if (MPI_Comm_split(members->world, rank < cfg->np ? 0 : MPI_UNDEFINED, rank, &members->workers) !=
	    MPI_SUCCESS)
		return RB_EMPI;
	if (members->workers != MPI_COMM_NULL)
		MPI_Comm_set_errhandler(members->workers, MPI_ERRORS_RETURN);
	return RB_OK;
}

void membership_revoke(struct membership *members)
{
	if (members->workers != MPI_COMM_NULL)
		MPIX_Comm_revoke(members->workers);
	MPIX_Comm_revoke(members->world);
}

/* The agreement right after the shrink proves that every process has built the communicator
 * before anyone uses (and perhaps revokes) it. */
static bool shrink(struct pass *p, MPI_Comm old)
{
	if (MPIX_Comm_shrink(old, &p->world) != MPI_SUCCESS)
		return false;
	MPI_Comm_set_errhandler(p->world, MPI_ERRORS_RETURN);
	MPI_Comm_size(p->world, &p->size);
	return fence(p->world, true);
}

static bool gather_statuses(struct pass *p, const struct role_status *self)
{
	p->all = realloc(p->all, (size_t)p->size * sizeof *p->all);
	if (p->all && MPI_Allgather(self, sizeof *self, MPI_BYTE, p->all, sizeof *self, MPI_BYTE,
				    p->world) == MPI_SUCCESS)
		return true;
	MPIX_Comm_revoke(p->world);
	return false;
}

/* Lost roles, in ascending order, go to spares in rank order. */
static void assign_roles(struct pass *p, int np, struct recovery *rec)
{
	int64_t refused = -1, older = INT64_MAX;
	int spare = 0;

	rec->agreed = rec->epoch = 0;
	rec->lost = rec->shortage = 0;
	for (int r = 0; r < np; r++)
		rec->died[r] = true;
	for (int i = 0; i < p->size; i++) {
		const struct role_status *s = &p->all[i];

		rec->epoch = s->epoch > rec->epoch ? s->epoch : rec->epoch;
		if (s->role < 0)
			continue;
		rec->died[s->role] = false;
		rec->front[s->role] = s->front;
		rec->agreed = s->agreed > rec->agreed ? s->agreed : rec->agreed;
		refused = s->refused > refused ? s->refused : refused;
		if (s->refused >= 0 && s->older < older)
			older = s->older;
	}
	rec->fallback = refused >= 0 && refused >= rec->agreed;
	if (rec->fallback)
		rec->agreed = older;
	rec->epoch++;
	for (int r = 0; r < np; r++) {
		rec->rolled[r] = rec->died[r];
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
}

/* The newest checkpoint that counts: nobody lives who knows it, but the dead's ledgers do. Of hosts that share a
 * folder one may see what another does not see yet. */
static bool recall(const struct pass *p, const struct membership *members, int64_t *agreed)
{
	int64_t seen = ledger_agreed(members->cfg->dir, members->np);

	if (MPI_Allreduce(&seen, agreed, 1, MPI_INT64_T, MPI_MAX, p->world) == MPI_SUCCESS)
		return true;
	MPIX_Comm_revoke(p->world);
	return false;
}

static bool split_workers(struct pass *p, int role)
{
	MPI_Comm workers;

	if (MPI_Comm_split(p->world, role >= 0 ? 0 : MPI_UNDEFINED, role, &workers) != MPI_SUCCESS)
		return false;
	if (workers != MPI_COMM_NULL)
		MPI_Comm_set_errhandler(workers, MPI_ERRORS_RETURN);
	p->workers = workers;
	return true;
}

/* A replacement has logged nothing, and everything it might have to re-send it will compute
 * again: its own row does not matter, since it starts at the checkpoint. */
static bool gather_holes(struct pass *p, int np, const int64_t *hole)
{
	int64_t *mine = calloc((size_t)np, sizeof *mine);
	bool ok = false;

	p->hole = realloc(p->hole, (size_t)np * (size_t)np * sizeof *p->hole);
	if (mine && p->hole) {
		if (hole)
			memcpy(mine, hole, (size_t)np * sizeof *mine);
		ok = MPI_Allgather(mine, np, MPI_INT64_T, p->hole, np, MPI_INT64_T, p->workers) ==
		     MPI_SUCCESS;
	}
	if (!ok)
		MPIX_Comm_revoke(p->workers);
	free(mine);
	return ok;
}

/* Start the processes that are missing and take them in. They are in members->world from then on,
 * whatever becomes of this repair, and count as spares. Always RB_LOST: one more pass. */
static int grow(struct pass *p, struct membership *members, int missing)
{
	const struct ft_config *cfg = members->cfg;
	MPI_Comm between, merged;
	bool ok = MPI_Comm_spawn(cfg->program, cfg->program_args, missing, MPI_INFO_NULL, 0,
				 p->world, &between, MPI_ERRCODES_IGNORE) == MPI_SUCCESS;

	p->starts++;
	if (!fence(p->world, ok))
		return RB_LOST;
	MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
	if (MPI_Intercomm_merge(between, 0, &merged) != MPI_SUCCESS)
		return RB_LOST;
	MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN);
	if (!fence(merged, true))
		return RB_LOST;
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
		return shrink(p, members->world);
	p->world = members->world;
	return MPI_Comm_size(p->world, &p->size) == MPI_SUCCESS;
}

/* RB_OK: closed. RB_LOST: try again. RB_ESPARES: decided by all. The fences stand in the same
 * order on every process, whatever has failed locally. */
static int attempt(struct pass *p, struct membership *members, const struct role_status *self,
		   const int64_t *hole, struct recovery *rec)
{
	int rank, role = -1;
	bool ok;

	p->workers = MPI_COMM_NULL;
	if (!gather_living(p, members))
		return RB_LOST;
	rec->t_shrunk = clock_now();
	ok = gather_statuses(p, self);
	if (!fence(p->world, ok))
		return RB_LOST;
	assign_roles(p, members->np, rec);
	if (rec->lost == members->np) {
		ok = recall(p, members, &rec->agreed);
		if (!fence(p->world, ok))
			return RB_LOST;
	}
	if (rec->shortage > 0)
		return members->cfg->replace == FT_SPAWN && p->starts < STARTS_MAX ?
		       grow(p, members, rec->shortage) : RB_ESPARES;
	MPI_Comm_rank(p->world, &rank);
	role = p->all[rank].role;
	ok = split_workers(p, role);
	if (!fence(p->world, ok))
		return RB_LOST;
	if (role >= 0)
		ok = gather_holes(p, members->np, hole);
	if (!fence(p->world, ok))
		return RB_LOST;
	rec->role = role;
	return RB_OK;
}

/* A constructor that failed keeps the MPI's lock on context ids, so that another one waits for ever if its
 * communicator has a higher id (docs/reproducers/shrink-after-dup.c). One that succeeds on a communicator
 * with a lower id, the lowest there is, gives it back. */
static void unlock_constructors(void)
{
	MPI_Comm copy;

	if (MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS)
		MPI_Comm_free(&copy);
}

int repair(struct membership *members, const struct role_status *self, const int64_t *hole,
	   struct recovery *rec)
{
	struct pass p = { .workers = MPI_COMM_NULL, .whole = members->spawned };
	int rc;

	members->spawned = false;
	while ((rc = attempt(&p, members, self, hole, rec)) == RB_LOST)
		unlock_constructors();
	/* The old communicators are left to the end of the job: freeing a broken one is what a
	 * young implementation does least well, and repairs are few. */
	if (rc == RB_OK) {
		members->world = p.world;
		members->workers = p.workers;
		rec->chain = 0;
		for (int r = 0; rec->fallback && r < members->np; r++)
			rec->rolled[r] = true;
		if (rec->role >= 0)
			rec->chain = closure(members->np, rec->agreed, rec->front, p.hole,
						    rec->rolled);
	}
	free(p.all);
	free(p.hole);
	return rc;
}

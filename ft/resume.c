#include "ft/resume.h"

#include "base/status.h"
#include "ft/checkpoint.h"
#include "ft/role.h"

/* What the earlier job has left. */
struct past {
	int64_t agreed; /* -1: there was none */
	int64_t epoch;
};

static struct past read_past(const struct ft_config *cfg)
{
	struct past past = { -1, 0 };
	struct rb_error err;
	struct ledger l;

	for (int r = 0; r < cfg->np; r++) {
		int64_t epoch;

		if (ledger_read(cfg->dir, r, &l, &err) != RB_OK)
			continue;
		epoch = l.last_epoch;
		past.agreed = l.agreed > past.agreed ? l.agreed : past.agreed;
		past.epoch = epoch > past.epoch ? epoch : past.epoch;
	}
	return past;
}

static bool usable(const struct ft_config *cfg, int role, int64_t iter)
{
	struct checkpoint_id id;
	struct rb_error err;

	if (role < 0 || iter == 0)
		return true;
	id = role_identify(cfg, role, iter);
	return checkpoint_check(cfg->dir, &id, &err) == RB_OK;
}

int resume_find(const struct ft_config *cfg, MPI_Comm world, int role, struct recovery *rec)
{
	struct past past = { -1, 0 };
	int rank, ok, all = 0;

	MPI_Comm_rank(world, &rank);
	if (rank == 0)
		past = read_past(cfg);
	if (MPI_Bcast(&past, sizeof past, MPI_BYTE, 0, world) != MPI_SUCCESS)
		return RB_EMPI;
	if (past.agreed < 0)
		return RB_OK;
	for (int64_t c = past.agreed; !all; c = c > cfg->interval ? c - cfg->interval : 0) {
		ok = usable(cfg, role, c);
		if (MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, world) != MPI_SUCCESS)
			return RB_EMPI;
		rec->agreed = c;
	}
	rec->restarted = true;
	rec->epoch = past.epoch + 1;
	rec->lost = cfg->np;
	for (int r = 0; r < cfg->np; r++) {
		rec->front[r] = rec->agreed;
		rec->died[r] = rec->rolled[r] = true;
	}
	return RB_OK;
}

#include "ft/recovery/restart.h"

#include "base/status.h"
#include "ft/line/checkpoint.h"
#include "ft/role/role.h"

/* What the earlier job has left. */
struct past {
	int64_t line; /* -1: there was none */
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
		past.line = l.line > past.line ? l.line : past.line;
		past.epoch = epoch > past.epoch ? epoch : past.epoch;
	}
	return past;
}

enum { NO_MEMORY = -1 };

/* The newest checkpoint in files, at most `most`, that this role can read; 0: the initial state;
 * NO_MEMORY. */
static int64_t newest_usable(const struct ft_config *cfg, int role, int64_t most,
			     struct rb_error *refusal)
{
	struct image image = { 0 };
	struct rb_error err;
	int64_t iter = cfg->levels.file ? most : 0;

	while (iter > 0) {
		struct image_id id = image_identify(cfg, role, iter);

		int rc = checkpoint_read(cfg->dir, &id, &image, &err);

		if (rc == RB_OK)
			break;
		*refusal = err;
		iter = rc == RB_ENOMEM ? NO_MEMORY : checkpoint_newest(cfg->dir, role, iter - 1);
	}
	image_free(&image);
	return iter;
}

int restart_find(const struct ft_config *cfg, MPI_Comm world, int role, struct recovery *rec,
		 struct rb_error *refusal)
{
	struct past past = { -1, 0 };
	int64_t mine = INT64_MAX, all, newest;
	int rank;

	MPI_Comm_rank(world, &rank);
	if (rank == 0)
		past = read_past(cfg);
	if (MPI_Bcast(&past, sizeof past, MPI_BYTE, 0, world) != MPI_SUCCESS)
		return RB_EMPI;
	if (past.line < 0)
		return RB_OK;
	all = past.line;
	do { /* until all roles can read it */
		newest = all;
		if (role < 0)
			mine = all;
		else if (mine > all) /* what has been read once need not be read again */
			mine = newest_usable(cfg, role, all, refusal);
		if (MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MIN, world) != MPI_SUCCESS)
			return RB_EMPI;
		if (all == NO_MEMORY)
			return RB_ENOMEM;
	} while (all < newest);
	rec->restarted = true;
	rec->epoch = past.epoch + 1;
	rec->lost = cfg->np;
	for (int r = 0; r < cfg->np; r++) {
		rec->line[r] = rec->front[r] = newest;
		rec->died[r] = rec->rolled[r] = true;
	}
	return RB_OK;
}

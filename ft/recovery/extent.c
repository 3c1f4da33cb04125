#include "ft/recovery/extent.h"

#include "base/status.h"
#include "ft/recovery/closure.h"
#include "ft/recovery/gaps.h"

#include <mpi-ext.h>
#include <stdlib.h>

static int64_t oldest(const struct recovery *rec, int np)
{
	int64_t least = rec->line[0];

	for (int r = 1; r < np; r++)
		least = rec->line[r] < least ? rec->line[r] : least;
	return least;
}

/* What the log of this role says about a channel. What it has kept of its last iteration, it can
 * send again. */
static struct channel hole_of(const struct ports *mine, const struct log_channel *ch, int64_t front)
{
	const int role = mine->logging.policy.role;
	const bool by_receiver = policy_by_receiver(&mine->logging.policy, role, ch->receiver);
	const bool keeps = by_receiver && kept_of(ports_kept(mine), front - 1);

	return (struct channel){ role, ch->receiver, keeps ? kept_hole(ch->hole, front) : ch->hole,
				 by_receiver };
}

/* The channels of this role that have a hole since the line: no role goes back further. Those that
 * it sends on, and those on which it keeps what it receives. */
static int list_holes(struct channel **out, size_t *count, const struct ports *mine, int role,
		      const struct recovery *rec)
{
	const struct log_channels *sent = &mine->logging.log.channels;
	const struct log *copies = ports_received(mine);
	const struct log_channels *received = copies ? &copies->channels : NULL;
	struct channel *list =
		malloc(((size_t)sent->count + (received ? (size_t)received->count : 0) + 1) *
		       sizeof *list);

	*count = 0;
	*out = list;
	for (int i = 0; list && i < sent->count; i++) {
		const struct channel ch = hole_of(mine, &sent->list[i], rec->front[role]);

		if (ch.hole >= rec->line[ch.receiver])
			list[(*count)++] = ch;
	}
	for (int i = 0; list && received && i < received->count; i++)
		if (received->list[i].hole >= rec->line[role])
			list[(*count)++] = (struct channel){ received->list[i].receiver, role,
							     received->list[i].hole, 0 };
	return list ? RB_OK : RB_ENOMEM;
}

/* All lists, one behind the other. MPI counts are int, and so are displacements. */
static bool gather_lists(struct extent *x, MPI_Comm workers, int np, const void *mine, int count,
			 size_t size, MPI_Datatype type)
{
	int *each = malloc((size_t)np * sizeof *each), *from = malloc((size_t)np * sizeof *from);
	bool ok = each && from &&
		  MPI_Allgather(&count, 1, MPI_INT, each, 1, MPI_INT, workers) == MPI_SUCCESS;

	x->count = 0;
	for (int r = 0; ok && r < np; r++) {
		from[r] = (int)x->count;
		x->count += (size_t)each[r];
		ok = x->count <= INT32_MAX;
		x->starved = !ok; /* more than MPI can gather: no further pass could do it */
	}
	x->starved = x->starved || !each || !from;
	free(x->list);
	x->list = ok ? malloc((x->count + 1) * size) : NULL;
	x->starved = x->starved || (ok && !x->list);
	ok = x->list &&
	     MPI_Allgatherv(mine, count, type, x->list, each, from, type, workers) == MPI_SUCCESS;
	free(each);
	free(from);
	return ok;
}

static bool gather(struct extent *x, MPI_Comm workers, int np, const void *mine, size_t count,
		   size_t size)
{
	MPI_Datatype type;
	bool ok = false;

	if (MPI_Type_contiguous((int)size, MPI_BYTE, &type) == MPI_SUCCESS) {
		MPI_Type_commit(&type);
		ok = gather_lists(x, workers, np, mine, (int)count, size, type);
		MPI_Type_free(&type);
	}
	return ok;
}

/* What the log of this role lacks of what it has sent since the oldest entry of the line. */
static int list_gaps(struct gap **out, size_t *count, const struct ports *mine, int role,
		     const struct ft_config *cfg, const struct recovery *rec)
{
	struct kernel_pattern p = kernel_pattern(cfg->kernel, &cfg->args, cfg->np);
	const struct gaps_case sent = { role,       &mine->logging.log,   ports_kept(mine),
					&p.pattern, oldest(rec, cfg->np), rec->front[role] };

	return gaps_list(out, count, &sent);
}

bool extent_gather(struct extent *x, MPI_Comm workers, const struct ft_config *cfg,
		   const struct recovery *rec, int role, const struct ports *mine)
{
	struct channel *holes = NULL;
	struct gap *gaps = NULL;
	size_t count = 0;
	int rc = RB_OK;
	bool ok;

	if (mine)
		rc = rec->dataflow ? list_gaps(&gaps, &count, mine, role, cfg, rec)
				   : list_holes(&holes, &count, mine, role, rec);
	x->starved = rc != RB_OK;
	ok = !x->starved &&
	     (rec->dataflow ? gather(x, workers, cfg->np, gaps, count, sizeof *gaps)
			    : gather(x, workers, cfg->np, holes, count, sizeof *holes));
	free(holes);
	free(gaps);
	if (!ok)
		MPIX_Comm_revoke(workers);
	return ok;
}

static int close_rollback(const struct extent *x, int np, struct recovery *rec)
{
	struct channels channels;
	int rc;

	RB_TRY(channels_build(&channels, np, oldest(rec, np), x->count, channel_in_list, x->list));
	channels.copies = rec->copies;
	rc = closure(&channels, rec->line, rec->front, rec->front, rec->rolled, &rec->chain);
	channels_free(&channels);
	return rc;
}

static int close_cone(const struct extent *x, const struct ft_config *cfg, struct recovery *rec)
{
	struct kernel_pattern p = kernel_pattern(cfg->kernel, &cfg->args, cfg->np);
	struct cone_case c = { &p.pattern, rec->line, rec->front, rec->died,
			       x->list,    x->count,  rec->role,  cfg->recompute == FT_FLAT };

	return cone_find(&rec->cone, &c);
}

static void resume_at_line(struct recovery *rec, int np)
{
	for (int r = 0; r < np; r++)
		if (rec->rolled[r])
			rec->front[r] = rec->line[r];
}

int extent_close(const struct extent *x, const struct ft_config *cfg, struct recovery *rec)
{
	rec->chain = 0;
	cone_free(&rec->cone);
	if (!rec->dataflow)
		RB_TRY(close_rollback(x, cfg->np, rec));
	resume_at_line(rec, cfg->np);
	return rec->dataflow ? close_cone(x, cfg, rec) : RB_OK;
}

void extent_free(struct extent *x)
{
	free(x->list);
	x->list = NULL;
}

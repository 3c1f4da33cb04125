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

/* The channels of this role that have a hole since its checkpoint: no role goes back further. Those
 * that it sends on, and those on which it keeps what it receives. */
static int list_holes(struct extent *x, const struct role_status *self, const struct ports *mine)
{
	const struct log_channels *sent = &mine->logging.log.channels;
	const struct log *copies = ports_received(mine);
	const struct log_channels *received = copies ? &copies->channels : NULL;
	struct channel *list =
		malloc(((size_t)sent->count + (received ? (size_t)received->count : 0) + 1) *
		       sizeof *list);

	x->mine = list;
	for (int i = 0; list && i < sent->count; i++) {
		const struct channel ch = hole_of(mine, &sent->list[i], self->front);

		if (ch.hole >= self->line)
			list[x->listed++] = ch;
	}
	for (int i = 0; list && received && i < received->count; i++)
		if (received->list[i].hole >= self->line)
			list[x->listed++] =
				(struct channel){ received->list[i].receiver, self->role,
						  received->list[i].hole, 0 };
	return list ? RB_OK : RB_ENOMEM;
}

/* What the log of this role lacks of what it has sent since its checkpoint. */
static int list_gaps(struct extent *x, const struct ft_config *cfg, const struct role_status *self,
		     const struct ports *mine)
{
	struct kernel_pattern p = kernel_pattern(cfg->kernel, &cfg->args, cfg->np);
	const struct gaps_case sent = { self->role, &mine->logging.log, ports_kept(mine),
					&p.pattern, self->line,         self->front };
	struct gap *gaps;
	int rc = gaps_list(&gaps, &x->listed, &sent);

	x->mine = gaps;
	return rc;
}

int extent_list(struct extent *x, const struct ft_config *cfg, const struct role_status *self,
		const struct ports *mine)
{
	const bool dataflow = ft_uses_dataflow(cfg);
	int rc = RB_OK;

	if (x->size > 0)
		return RB_OK;
	x->size = dataflow ? sizeof(struct gap) : sizeof(struct channel);
	if (mine)
		rc = dataflow ? list_gaps(x, cfg, self, mine) : list_holes(x, self, mine);
	return x->listed > INT32_MAX ? RB_ENOMEM : rc; /* MPI counts are int */
}

/* Where each member's entries go: in the order of roles, so that the list is the same whoever plays
 * them. MPI displacements are int; false: there are more. */
static bool lay_out(struct extent *x, int each[], int from[], const struct role_status *all,
		    int size, const struct recovery *rec, int np)
{
	for (int i = 0; i < size; i++) {
		each[i] = all[i].listed;
		from[i] = 0;
	}
	x->count = 0;
	for (int r = 0; r < np; r++) {
		from[rec->rank[r]] = (int)x->count;
		x->count += (size_t)each[rec->rank[r]];
		if (x->count > INT32_MAX)
			return false;
	}
	return true;
}

static bool gather(struct extent *x, MPI_Comm comm, const int each[], const int from[])
{
	MPI_Datatype entry;
	bool ok;

	if (MPI_Type_contiguous((int)x->size, MPI_BYTE, &entry) != MPI_SUCCESS)
		return false;
	MPI_Type_commit(&entry);
	ok = MPI_Allgatherv(x->mine, (int)x->listed, entry, x->list, each, from, entry, comm) ==
	     MPI_SUCCESS;
	MPI_Type_free(&entry);
	return ok;
}

int extent_gather(struct extent *x, MPI_Comm comm, const struct role_status *all, int size,
		  const struct recovery *rec, int np)
{
	int *each = malloc((size_t)size * sizeof *each),
	    *from = malloc((size_t)size * sizeof *from);
	const bool fits = each && from && lay_out(x, each, from, all, size, rec, np);
	int rc = RB_OK;

	free(x->list);
	x->list = fits ? malloc((x->count + 1) * x->size) : NULL;
	if (!x->list)
		rc = RB_ENOMEM;
	else if (x->count > 0 && !gather(x, comm, each, from))
		rc = RB_LOST;
	free(each);
	free(from);
	if (rc != RB_OK)
		MPIX_Comm_revoke(comm);
	return rc;
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
	/* a role that did not know yet that a newer checkpoint counts has listed more */
	const size_t count = gaps_cut(x->list, x->count, oldest(rec, cfg->np));
	struct cone_case c = { &p.pattern, rec->line, rec->front, rec->died,
			       x->list,    count,     rec->role,  cfg->recompute == FT_FLAT };

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
	free(x->mine);
	free(x->list);
	x->mine = x->list = NULL;
}

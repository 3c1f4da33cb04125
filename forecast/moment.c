#include "forecast/moment.h"

#include "base/grow.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

int moment_init(struct moment *m, int np)
{
	*m = (struct moment){ .front = calloc((size_t)np, sizeof *m->front),
			      .listed = calloc((size_t)np, sizeof *m->listed) };
	return m->front && m->listed ? RB_OK : RB_ENOMEM;
}

void moment_free(struct moment *m)
{
	free(m->front);
	free(m->channel);
	free(m->keeper);
	free(m->holder);
	free(m->gap);
	free(m->listed);
}

static int add_hole(struct moment *m, const struct channel *ch)
{
	struct channel *list = grow(m->channel, m->channels + 1, &m->channel_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	m->channel = list;
	list[m->channels++] = *ch;
	return RB_OK;
}

static int add_keeper(struct moment *m, int sender, int receiver, int64_t iter)
{
	struct keeper *list = grow(m->keeper, m->keepers + 1, &m->keeper_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	m->keeper = list;
	list[m->keepers++] = (struct keeper){ sender, receiver, iter };
	return RB_OK;
}

/* Without the iteration that is not complete: a repair takes it back. */
static int64_t complete_hole(const struct log_channel *ch, int64_t front)
{
	return ch->hole >= front ? ch->hole_prev : ch->hole;
}

/* What the sender says about a channel. What it has kept of its last iteration it can send
 * again. */
static int add_sent(struct moment *m, const struct expected_log *e, const struct log_channel *ch,
		    int64_t front)
{
	const int role = e->policy.role;
	struct channel c = { role, ch->receiver, ch->hole,
			     policy_by_receiver(&e->policy, role, ch->receiver) };

	if (c.by_receiver) {
		c.hole = kept_hole(complete_hole(ch, front), front);
		if (complete_hole(ch, front) == front - 1)
			RB_TRY(add_keeper(m, role, ch->receiver, front - 1));
	}
	return c.hole >= e->log.since ? add_hole(m, &c) : RB_OK;
}

/* What the receiver says about it. */
static int add_received(struct moment *m, const struct expected_log *e,
			const struct log_channel *ch, int64_t front)
{
	const struct channel c = { ch->receiver, e->policy.role, complete_hole(ch, front), 0 };

	return c.hole >= e->received.since ? add_hole(m, &c) : RB_OK;
}

/* The holder for a pair of roles, which is made if it is not there yet. NULL: out of memory. */
static struct holder *holder_of(struct moment *m, int sender, int receiver)
{
	size_t at = m->listed[receiver];
	struct holder *list;

	if (at < m->holders && m->holder[at].sender == sender && m->holder[at].receiver == receiver)
		return &m->holder[at];
	list = grow(m->holder, m->holders + 1, &m->holder_room, sizeof *list);
	if (!list)
		return NULL;
	m->holder = list;
	m->listed[receiver] = m->holders;
	list[m->holders] = (struct holder){ sender, receiver, { -1, 0 } };
	return &list[m->holders++];
}

int moment_add(struct moment *m, const struct expected_log *e, int64_t front)
{
	const struct log *log = &e->log;
	const int role = e->policy.role;

	m->front[role] = front;
	for (int i = 0; i < log->channels.count; i++)
		RB_TRY(add_sent(m, e, &log->channels.list[i], front));
	for (int i = 0; i < e->received.channels.count; i++)
		RB_TRY(add_received(m, e, &e->received.channels.list[i], front));
	for (size_t i = 0; i < log->count && log_iter(log, &log->entry[i]) < front; i++) {
		const struct log_entry *entry = &log->entry[i];
		struct holder *h = holder_of(m, role, entry->dst);

		if (!h)
			return RB_ENOMEM;
		h->newest = (struct place){ log_iter(log, entry), entry->place };
	}
	return RB_OK;
}

static int add_gaps_of(struct moment *m, const struct gaps_case *x, bool kept)
{
	struct gap *found, *list;
	size_t count;

	RB_TRY(gaps_list(&found, &count, x));
	list = grow(m->gap, m->gaps + count, &m->gap_room, sizeof *list);
	if (list) {
		m->gap = list;
		for (size_t i = 0; i < count; i++) {
			list[m->gaps] = found[i];
			list[m->gaps++].kept = kept;
		}
	}
	free(found);
	return list ? RB_OK : RB_ENOMEM;
}

int moment_add_gaps(struct moment *m, const struct expected_log *e, int64_t checkpoint,
		    int64_t front, bool keeps)
{
	struct gaps_case x = { e->policy.role, &e->log, NULL, e->pattern, checkpoint, front };

	if (keeps && front > checkpoint) {
		x.oldest = front - 1;
		RB_TRY(add_gaps_of(m, &x, true));
		x.oldest = checkpoint;
		x.front = front - 1;
	}
	return add_gaps_of(m, &x, false);
}

static int64_t *copies_of(const struct moment *m, int np, const bool *dead)
{
	int64_t *copies = malloc((size_t)np * sizeof *copies);

	for (int r = 0; copies && r < np; r++)
		copies[r] = dead[r] ? 0 : m->copies ? m->copies[r] : m->front[r];
	return copies;
}

int moment_close(const struct moment *senders, const struct moment *receivers, int np, int64_t base,
		 const int64_t *line, bool *rolled, int *chain)
{
	struct channels channels;
	int64_t *copies = NULL;
	int rc;

	RB_TRY(channels_build(&channels, np, base, senders->channels, channel_in_list,
			      senders->channel));
	if (channels.by_receiver) {
		copies = copies_of(receivers, np, rolled);
		if (!copies) {
			channels_free(&channels);
			return RB_ENOMEM;
		}
	}
	channels.copies = copies;
	rc = closure(&channels, line, senders->front, receivers->front, rolled, chain);
	channels_free(&channels);
	free(copies);
	return rc;
}

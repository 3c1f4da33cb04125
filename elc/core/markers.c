/* Chandy-Lamport: what has come before the marker of its sender was sent before it. */
#include "elc/core/number.h"
#include "elc/core/process.h"

/* The stamp is not carried: it follows from the markers that have come. A process has no marker of
 * itself on the way; of its messages to itself, the first ones are those that were sent before the
 * cut. */
static int64_t stamp(const struct elc_process *p, int peer, elc_key key, int64_t carried)
{
	const int64_t epoch = elc_line_epoch(&p->line);

	(void)carried;
	if (peer != p->line.rank)
		return p->line.requested[peer];
	return elc_process_missing(p, peer, elc_key_comm(key)) ? epoch - 1 : epoch;
}

static int ask(struct elc_process *p, int dest)
{
	struct elc_channel *c = &p->with[dest];
	const int rc = elc_set_add(&c->cut_sent, ELC_MIX, (int64_t)c->sent_mix);

	return rc ? rc : elc_number_ask(p, dest);
}

/* More was received than sent: the order is wrong. The sum says so, too. */
static int identify(struct elc_process *p, int peer)
{
	const int rc = elc_number_identify(p, peer);

	if (rc == -2)
		p->unordered = peer;
	return rc == -2 ? 0 : rc;
}

/* Of two messages with one envelope, the receive that was posted first has got the first. If the
 * other one has completed before, and was counted as the one in transit, the line would have the
 * wrong payload. */
static void received(struct elc_process *p, int peer, elc_key key, uint64_t order)
{
	for (size_t i = 0; p->line.phase == ELC_CUT && i < p->caught.n; i++)
		if (p->caught.m[i]->peer == peer && p->caught.m[i]->key == key &&
		    p->caught.m[i]->order > order)
			p->unordered = peer;
}

/* Both are here, so all has come that was sent before the marker, or the order was another one. */
static bool settled(struct elc_process *p, int peer, const struct elc_pending *pending,
		    size_t npending)
{
	const struct elc_channel *c = &p->with[peer];

	if (peer == p->line.rank && c->catch.missing > 0)
		return false;
	if (c->catch.missing != 0 || c->catch.mix != c->transit_mix)
		p->unordered = peer;
	return p->unordered < 0 && elc_events.settled(p, peer, pending, npending);
}

/* Does this entry of a marker say how many messages were sent? */
static bool says_messages(elc_key key)
{
	return key != ELC_MIX && !elc_is_collectives(key);
}

int64_t elc_markers_to_come(const struct elc_process *p, int peer, uint32_t comm,
			    const struct elc_set *marker)
{
	const struct elc_channel *c = &p->with[peer];
	const elc_key number = elc_number_key(elc_key_of(comm, 0));
	const struct elc_entry *received = elc_log_find(&c->received, number);
	int64_t n = elc_set_count(&c->transit, number) - elc_set_count(&c->cut_received, number) -
		    (received ? received->num : 0);

	for (size_t i = 0; i < marker->n; i++)
		n += says_messages(marker->entry[i].key) &&
				     elc_key_comm(marker->entry[i].key) == comm
			     ? marker->entry[i].num
			     : 0;
	for (size_t i = 0; i < c->orphan.n; i++)
		n -= elc_key_comm(c->orphan.entry[i].key) == comm ? c->orphan.entry[i].num : 0;
	for (size_t i = 0; i < p->held.n; i++)
		n -= p->held.m[i]->peer == peer && elc_key_comm(p->held.m[i]->key) == comm;
	return n;
}

bool elc_markers_due(const struct elc_process *p, int peer, const struct elc_set *marker)
{
	for (size_t i = 0; i < marker->n; i++)
		if (says_messages(marker->entry[i].key) &&
		    elc_markers_to_come(p, peer, elc_key_comm(marker->entry[i].key), marker) > 0)
			return false;
	return true;
}

const struct elc_protocol elc_markers = { "markers", false,    false,   stamp, ask,
					  identify,  received, settled, false, NULL };

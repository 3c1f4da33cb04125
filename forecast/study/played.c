#include "forecast/study/played.h"

#include "base/status.h"
#include "ft/log/kept.h"
#include "ft/role/expected_log.h"

#include <string.h>

/* The intervals before it are as long, but for the first one, which may be shorter. */
static int play_interval(struct expected_log *l, int64_t from, int64_t to)
{
	RB_TRY(expected_log_resume(l, (struct schedule){ to - from, from % (to - from) }, from));
	for (int64_t i = from; i < to; i++) {
		RB_TRY(expected_log_enter(l, i));
		expected_log_commit(l);
	}
	return RB_OK;
}

/* What the receiver says. */
static void note_received(const struct played *p, const struct exchange *e,
			  const struct expected_log *l, int role, bool *off)
{
	for (int i = 0; i < l->received.channels.count; i++) {
		const struct log_channel *ch = &l->received.channels.list[i];
		const size_t at = exchange_find(e, ch->receiver, role);

		if (at < e->count && ch->receiver != role && ch->hole >= p->from)
			off[at] = true;
	}
}

/* What the sender says of a channel that it leaves to the receiver: it has kept its last iteration
 * (ft/log/kept.h). */
static void note_sent(const struct played *p, const struct expected_log *l, int role, int receiver,
		      bool *off, bool *lost)
{
	const int64_t hole = log_hole(&l->log, receiver);

	if (receiver == role)
		return;
	if (policy_by_receiver(&l->policy, role, receiver))
		*lost = kept_hole(hole, p->to) >= p->from;
	else
		*off = *off || hole >= p->from;
}

static int play_role(const struct played *p, const struct exchange *e, int role, bool *off,
		     bool *lost, int64_t *log)
{
	struct expected_log l;
	int rc = expected_log_open(&l, p->pattern, p->policy, false, role);

	if (rc != RB_OK)
		return rc;
	rc = play_interval(&l, p->from, p->to);
	for (size_t i = e->first[role]; rc == RB_OK && i < e->first[role + 1]; i++)
		note_sent(p, &l, role, e->receiver[i], &off[i], &lost[i]);
	if (rc == RB_OK)
		note_received(p, e, &l, role, off);
	if (expected_log_peak(&l) > *log)
		*log = expected_log_peak(&l);
	expected_log_free(&l);
	return rc;
}

int played_channels(const struct played *p, const struct exchange *e, bool *off, bool *lost,
		    int64_t *log)
{
	*log = 0;
	memset(off, 0, e->count * sizeof *off);
	memset(lost, 0, e->count * sizeof *lost);
	for (int role = 0; role < e->np; role++)
		RB_TRY(play_role(p, e, role, off, lost, log));
	return RB_OK;
}

#include "sim/study/played.h"

#include "base/status.h"
#include "ft/role/expected_log.h"

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

static int play_role(const struct played *p, const struct exchange *e, int role, bool *off, int64_t *log)
{
	struct expected_log l;
	int rc = expected_log_open(&l, p->pattern, p->policy, false, role);

	if (rc != RB_OK)
		return rc;
	rc = play_interval(&l, p->from, p->to);
	for (size_t i = e->first[role]; rc == RB_OK && i < e->first[role + 1]; i++)
		off[i] = e->receiver[i] != role && log_hole(&l.log, e->receiver[i]) >= p->from;
	*log = l.log.bytes_peak > *log ? l.log.bytes_peak : *log;
	expected_log_free(&l);
	return rc;
}

int played_channels(const struct played *p, const struct exchange *e, bool *off, int64_t *log)
{
	*log = 0;
	for (int role = 0; role < e->np; role++)
		RB_TRY(play_role(p, e, role, off, log));
	return RB_OK;
}

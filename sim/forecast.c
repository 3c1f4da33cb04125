#include "sim/forecast.h"

#include "base/status.h"
#include "ft/recovery/closure.h"
#include "ft/role/expected_log.h"

#include <stdlib.h>
#include <string.h>

/* A sender that has something in its log for a receiver. */
struct holder {
	int32_t sender, receiver;
};

/* The fronts and the logs of all roles at one moment. */
struct moment {
	int64_t *front;           /* np */
	struct channel *channel;  /* the holes, by sender */
	struct holder *holder;    /* what a replay could send */
	size_t channels, holders, channel_room, holder_room;
};

static void moment_free(struct moment *m)
{
	free(m->front);
	free(m->channel);
	free(m->holder);
}

/* The list with room for one more element of `size` bytes; NULL: no memory, and the list is as it was. */
static void *with_room(void *list, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 256;

	if (count < *room)
		return list;
	list = realloc(list, more * size);
	if (list)
		*room = more;
	return list;
}

static int remember_hole(struct moment *at, int sender, int receiver, int64_t hole)
{
	struct channel *list = with_room(at->channel, at->channels, &at->channel_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	at->channel = list;
	list[at->channels++] = (struct channel){ sender, receiver, hole };
	return RB_OK;
}

static int remember_holder(struct moment *at, int sender, int receiver)
{
	struct holder *list = with_room(at->holder, at->holders, &at->holder_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	at->holder = list;
	list[at->holders++] = (struct holder){ sender, receiver };
	return RB_OK;
}

/* Remember a role's log. Entries of an iteration that is not committed are not replayed. last: np, -1 before
 * the first role; it keeps a receiver from being listed twice. */
static int remember(struct moment *at, const struct expected_log *b, int64_t front, int32_t *last)
{
	const struct log *log = &b->log;
	int role = b->policy.role;

	at->front[role] = front;
	for (int i = 0; i < log->channels.count; i++) {
		const struct log_channel *ch = &log->channels.list[i];

		if (ch->hole >= log->since)
			RB_TRY(remember_hole(at, role, ch->receiver, ch->hole));
	}
	for (size_t i = 0; i < log->count; i++) {
		int32_t d = log->entry[i].dst;

		if (log_iter(log, &log->entry[i]) >= front || last[d] == role)
			continue;
		last[d] = role;
		RB_TRY(remember_holder(at, role, d));
	}
	return RB_OK;
}

/* What a forecast needs while it is made. */
struct forecasting {
	struct forecast *f;
	const struct forecast_run *run;
	struct moment early, late;
	int32_t *last;       /* remember() */
	int64_t *line;       /* np */
	bool *least, *most;  /* np: the smallest and the largest rollback set */
};

static int forecasting_init(struct forecasting *x)
{
	size_t n = (size_t)x->f->np;

	x->early.front = calloc(n, sizeof *x->early.front);
	x->late.front = calloc(n, sizeof *x->late.front);
	x->last = malloc(2 * n * sizeof *x->last);
	x->line = malloc(n * sizeof *x->line);
	x->least = malloc(n * sizeof *x->least);
	x->most = malloc(n * sizeof *x->most);
	x->f->rolled = calloc(n, sizeof *x->f->rolled);
	x->f->active = calloc(n, sizeof *x->f->active);
	x->f->log_peak = calloc(n, sizeof *x->f->log_peak);
	if (!x->early.front || !x->late.front || !x->last || !x->line || !x->least || !x->most ||
	    !x->f->rolled || !x->f->active || !x->f->log_peak)
		return RB_ENOMEM;
	memset(x->last, -1, 2 * n * sizeof *x->last);
	for (size_t r = 0; r < n; r++)
		x->line[r] = x->f->checkpoint;
	return RB_OK;
}

static void forecasting_free(struct forecasting *x)
{
	moment_free(&x->early);
	moment_free(&x->late);
	free(x->last);
	free(x->line);
	free(x->least);
	free(x->most);
}

/* early: at lo, between two iterations. late: at hi, at the end of the iteration under way, when all channels
 * are off that this iteration may switch off. */
static int enter_role(struct forecasting *x, int role, int64_t lo, int64_t hi)
{
	const struct forecast_run *run = x->run;
	struct expected_log b;
	int rc = expected_log_open(&b, run->pattern, &run->policy, role);

	if (rc != RB_OK)
		return rc;
	log_restart(&b.log, x->f->checkpoint);
	for (int64_t i = x->f->checkpoint; rc == RB_OK && i <= hi; i++) {
		if (i > x->f->checkpoint && i % run->interval == 0)
			log_mark(&b.log, i); /* taken, but it does not count yet */
		if (i == lo)
			rc = remember(&x->early, &b, lo, x->last);
		if (rc == RB_OK)
			rc = expected_log_enter(&b, i);
		if (i < hi)
			log_commit(&b.log);
	}
	if (rc == RB_OK)
		rc = remember(&x->late, &b, hi, x->last + run->pattern->np);
	x->f->log_peak[role] = b.log.bytes_peak;
	log_free(&b.log);
	return rc;
}

/* The closure for one assumption: senders at one moment, receivers at another. With senders late and
 * receivers early it is the largest possible set, the other way round the smallest. */
static int close_over(const struct forecasting *x, const struct moment *senders, const struct moment *receivers,
		      bool *rolled, int *chain)
{
	struct channels channels;
	int rc = channels_build(&channels, x->f->np, x->f->checkpoint, senders->channels, channel_in_list,
				senders->channel);

	if (rc != RB_OK)
		return rc;
	rc = closure(&channels, x->line, senders->front, receivers->front, rolled, chain);
	channels_free(&channels);
	return rc;
}

/* Which roles that keep their state replay to the set. */
static void note_replays(const struct moment *at, const bool *rolled, bool *replays)
{
	for (size_t i = 0; i < at->holders; i++)
		if (rolled[at->holder[i].receiver])
			replays[at->holder[i].sender] = true;
}

/* A role is sure to replay if it does so at both moments for the smallest set; it may replay if it does so at
 * one for the largest. */
static int answer(struct forecasting *x)
{
	size_t n = (size_t)x->f->np;
	bool *replays = calloc(3 * n, sizeof *replays), *early = replays, *late = early + n, *maybe = late + n;

	if (!replays)
		return RB_ENOMEM;
	note_replays(&x->early, x->least, early);
	note_replays(&x->late, x->least, late);
	note_replays(&x->early, x->most, maybe);
	note_replays(&x->late, x->most, maybe);
	for (size_t r = 0; r < n; r++) {
		bool sure = !x->most[r] && early[r] && late[r];

		x->f->rolled[r] = x->least[r] ? FORECAST_YES : x->most[r] ? FORECAST_MAYBE : FORECAST_NO;
		x->f->active[r] = sure ? FORECAST_YES : !x->least[r] && maybe[r] ? FORECAST_MAYBE : FORECAST_NO;
	}
	free(replays);
	return RB_OK;
}

static int close_both(struct forecasting *x, const bool *dead)
{
	size_t n = (size_t)x->f->np;
	int few = 0, many = 0;

	memcpy(x->least, dead, n * sizeof *dead);
	memcpy(x->most, dead, n * sizeof *dead);
	RB_TRY(close_over(x, &x->early, &x->late, x->least, &few));
	RB_TRY(close_over(x, &x->late, &x->early, x->most, &many));
	/* More holes may also mean a shorter chain. */
	x->f->chain_least = few < many ? few : many;
	x->f->chain_most = few < many ? many : few;
	return answer(x);
}

int forecast_make(struct forecast *f, const struct forecast_run *run, int64_t checkpoint,
		  const bool *dead, const int64_t *lo, const int64_t *hi, struct rb_error *err)
{
	struct forecasting x = { .f = f, .run = run };
	int rc;

	*f = (struct forecast){ .np = run->pattern->np, .checkpoint = checkpoint };
	rc = forecasting_init(&x);
	for (int r = 0; rc == RB_OK && r < run->pattern->np; r++)
		rc = enter_role(&x, r, lo[r], hi[r]);
	if (rc == RB_OK)
		rc = close_both(&x, dead);
	forecasting_free(&x);
	return rc == RB_OK ? RB_OK : rb_fail(err, rc, "out of memory for a forecast of %d roles",
					     run->pattern->np);
}

void forecast_free(struct forecast *f)
{
	free(f->rolled);
	free(f->active);
	free(f->log_peak);
}

int forecast_peak(const struct forecast_run *run, int64_t *peak, struct rb_error *err)
{
	int64_t end = run->iterations < 2 * run->interval ? run->iterations : 2 * run->interval;

	*peak = 0;
	for (int role = 0; role < run->pattern->np; role++) {
		struct expected_log b;
		int rc = expected_log_open(&b, run->pattern, &run->policy, role);

		if (rc != RB_OK)
			return rb_fail(err, rc, "out of memory for a forecast");
		for (int64_t i = 0; rc == RB_OK && i < end; i++) {
			if (i % run->interval == 0)
				log_restart(&b.log, i);
			rc = expected_log_enter(&b, i);
			log_commit(&b.log);
		}
		*peak = b.log.bytes_peak > *peak ? b.log.bytes_peak : *peak;
		log_free(&b.log);
		if (rc != RB_OK)
			return rb_fail(err, rc, "out of memory for a forecast");
	}
	return RB_OK;
}

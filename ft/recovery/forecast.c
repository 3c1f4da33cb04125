#include "ft/recovery/forecast.h"

#include "base/status.h"
#include "ft/msg/transport.h"

#include <stdlib.h>
#include <string.h>

/* The logs of all roles at one moment. */
struct moment {
	int64_t *front; /* np */
	int64_t *hole;  /* np * np */
	bool *holds;    /* np * np: s has something for d that a replay would send */
};

static int moment_init(struct moment *m, int np)
{
	size_t n = (size_t)np;

	m->front = calloc(n, sizeof *m->front);
	m->hole = calloc(n * n, sizeof *m->hole);
	m->holds = calloc(n * n, sizeof *m->holds);
	return m->front && m->hole && m->holds ? RB_OK : RB_ENOMEM;
}

static void moment_free(struct moment *m)
{
	free(m->front);
	free(m->hole);
	free(m->holds);
}

/* Messages that go nowhere and a log that keeps books only. */
static int begin_rehearsal(struct msg *m, const struct ft_config *cfg, int role)
{
	RB_TRY(msg_init(m, role, cfg->np, &cfg->policy));
	m->rehearsal = m->log.phantom = true;
	return RB_OK;
}

static int rehearse(struct msg *m, const struct ft_config *cfg, int64_t iter)
{
	msg_begin(m, iter);
	return cfg->kernel->rehearse(&cfg->args, m->role, cfg->np, iter, m);
}

/* Remember a role's log. Entries of an iteration that is not committed are not replayed. */
static void remember(struct moment *at, const struct msg *m, int64_t front)
{
	size_t row = (size_t)m->role * (size_t)m->np;

	at->front[m->role] = front;
	memcpy(at->hole + row, m->log.hole, (size_t)m->np * sizeof *at->hole);
	for (size_t i = 0; i < m->log.count; i++)
		if (log_iter(&m->log, &m->log.entry[i]) < front)
			at->holds[row + (size_t)m->log.entry[i].dst] = true;
}

/* early: at lo, between two iterations. late: at hi, at the end of the iteration under way, so with
 * everything switched off that this iteration may switch off. */
static int rehearse_role(struct forecast *f, const struct ft_config *cfg, int role, int64_t lo,
			 int64_t hi, struct moment *early, struct moment *late)
{
	struct msg m;
	int rc = begin_rehearsal(&m, cfg, role);

	if (rc != RB_OK)
		return rc;
	log_restart(&m.log, f->checkpoint);
	for (int64_t i = f->checkpoint; rc == RB_OK && i <= hi; i++) {
		if (i > f->checkpoint && i % cfg->interval == 0)
			log_mark(&m.log, i); /* taken, but it does not count yet */
		if (i == lo)
			remember(early, &m, lo);
		rc = rehearse(&m, cfg, i);
		if (i < hi)
			msg_commit(&m);
	}
	remember(late, &m, hi);
	f->log_peak[role] = m.log.bytes_peak;
	msg_free(&m);
	return rc;
}

/* The closure for one assumption: senders at one moment, receivers at another. With senders late
 * and receivers early it is the largest set there can be, the other way round the smallest. */
static int close_over(int np, int64_t c, const struct moment *senders, const struct moment *receivers,
		      bool *rolled)
{
	int depth = 0, found;
	bool *next = malloc((size_t)np * sizeof *next);

	do {
		found = 0;
		memcpy(next, rolled, (size_t)np * sizeof *next);
		for (int s = 0; s < np; s++)
			for (int d = 0; !next[s] && d < np; d++) {
				int64_t front = rolled[d] ? c : receivers->front[d];

				if (d == s || front >= senders->front[s] ||
				    senders->hole[(size_t)s * (size_t)np + (size_t)d] < front)
					continue;
				next[s] = true;
				found++;
			}
		memcpy(rolled, next, (size_t)np * sizeof *next);
		depth += found > 0;
	} while (found > 0);
	free(next);
	return depth;
}

static bool replays(int np, int s, const struct moment *at, const bool *rolled)
{
	for (int d = 0; d < np; d++)
		if (d != s && rolled[d] && at->holds[(size_t)s * (size_t)np + (size_t)d])
			return true;
	return false;
}

static void answer(struct forecast *f, const struct moment *early, const struct moment *late,
		   const bool *least, const bool *most)
{
	for (int r = 0; r < f->np; r++) {
		bool sure = !most[r] && replays(f->np, r, early, least) &&
			    replays(f->np, r, late, least);
		bool maybe = !least[r] && (replays(f->np, r, early, most) ||
					   replays(f->np, r, late, most));

		f->rolled[r] = least[r] ? FORECAST_YES : most[r] ? FORECAST_MAYBE : FORECAST_NO;
		f->active[r] = sure ? FORECAST_YES : maybe ? FORECAST_MAYBE : FORECAST_NO;
	}
}

int forecast_make(struct forecast *f, const struct ft_config *cfg, int64_t checkpoint,
		  const bool *dead, const int64_t *lo, const int64_t *hi, struct rb_error *err)
{
	size_t n = (size_t)cfg->np;
	struct moment early = { NULL, NULL, NULL }, late = early;
	bool *least = malloc(n * sizeof *least), *most = malloc(n * sizeof *most);
	int rc = RB_ENOMEM;

	*f = (struct forecast){ .np = cfg->np, .checkpoint = checkpoint };
	f->rolled = calloc(n, sizeof *f->rolled);
	f->active = calloc(n, sizeof *f->active);
	f->log_peak = calloc(n, sizeof *f->log_peak);
	if (least && most && f->rolled && f->active && f->log_peak &&
	    moment_init(&early, cfg->np) == RB_OK && moment_init(&late, cfg->np) == RB_OK)
		rc = RB_OK;
	for (int r = 0; rc == RB_OK && r < cfg->np; r++)
		rc = rehearse_role(f, cfg, r, lo[r], hi[r], &early, &late);
	if (rc == RB_OK) {
		memcpy(least, dead, n * sizeof *least);
		memcpy(most, dead, n * sizeof *most);
		int few = close_over(cfg->np, checkpoint, &early, &late, least);
		int many = close_over(cfg->np, checkpoint, &late, &early, most);

		/* More holes may also mean a shorter chain. */
		f->chain_least = few < many ? few : many;
		f->chain_most = few < many ? many : few;
		answer(f, &early, &late, least, most);
	}
	moment_free(&early);
	moment_free(&late);
	free(least);
	free(most);
	return rc == RB_OK ? RB_OK : rb_fail(err, rc, "out of memory for a forecast of %d roles",
					     cfg->np);
}

void forecast_free(struct forecast *f)
{
	free(f->rolled);
	free(f->active);
	free(f->log_peak);
}

int forecast_peak(const struct kernel_ops *kernel, const struct kernel_args *args, int np,
		  int64_t interval, int64_t iterations, int64_t *peak, struct rb_error *err)
{
	struct ft_config cfg = { .kernel = kernel, .args = *args, .np = np,
				 .policy = { .ops = &policy_all } };
	int64_t end = iterations < 2 * interval ? iterations : 2 * interval;

	*peak = 0;
	for (int role = 0; role < np; role++) {
		struct msg m;
		int rc = begin_rehearsal(&m, &cfg, role);

		if (rc != RB_OK)
			return rb_fail(err, rc, "out of memory for a forecast");
		for (int64_t i = 0; rc == RB_OK && i < end; i++) {
			if (i % interval == 0)
				log_restart(&m.log, i);
			rc = rehearse(&m, &cfg, i);
			msg_commit(&m);
		}
		*peak = m.log.bytes_peak > *peak ? m.log.bytes_peak : *peak;
		msg_free(&m);
		if (rc != RB_OK)
			return rb_fail(err, rc, "out of memory for a forecast");
	}
	return RB_OK;
}

enum { SAMPLE = 50 }; /* iterations: two outer ones of CG */

int forecast_log(const struct ft_config *cfg, int role, int64_t *messages, int64_t *bytes)
{
	int64_t end = cfg->interval < cfg->iterations ? cfg->interval : cfg->iterations;
	int64_t sample = end < SAMPLE ? end : SAMPLE;
	struct msg m;
	int rc = begin_rehearsal(&m, cfg, role);

	if (rc != RB_OK)
		return rc;
	for (int64_t i = 0; rc == RB_OK && i < sample; i++) {
		rc = rehearse(&m, cfg, i);
		msg_commit(&m);
	}
	*messages = (int64_t)m.log.count;
	*bytes = 0;
	for (size_t i = 0; i < m.log.count; i++)
		*bytes = (int64_t)arena_after((size_t)*bytes, m.log.entry[i].bytes);
	/* A policy that logs no more than this had better not be extrapolated. */
	if (rc == RB_OK && sample < end && m.policy.ops == &policy_all) {
		*messages = *messages * end / sample;
		*bytes = *bytes * end / sample;
	}
	msg_free(&m);
	return rc;
}

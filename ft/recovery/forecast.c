#include "ft/recovery/forecast.h"

#include "base/status.h"
#include "ft/msg/counting_port.h"

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

/* What one role's log would hold. */
struct books {
	struct counting_port port;
	struct policy policy;
	struct log log; /* without payloads */
};

static int enter(void *ctx, int dst, int tag, size_t bytes)
{
	struct books *b = ctx;

	if (b->policy.ops->admits(&b->policy, &b->log, dst, bytes))
		return log_note(&b->log, dst, tag, bytes);
	log_skip(&b->log, dst);
	return RB_OK;
}

static int books_open(struct books *b, const struct ft_config *cfg, int role)
{
	b->policy = cfg->policy;
	b->policy.role = role;
	b->policy.np = cfg->np;
	counting_init(&b->port, role, cfg->np, enter, b);
	return log_init(&b->log, cfg->np);
}

static void books_close(struct books *b)
{
	counting_free(&b->port);
	log_free(&b->log);
}

static int rehearse(struct books *b, const struct ft_config *cfg, int64_t iter)
{
	log_begin(&b->log, iter);
	return cfg->kernel->rehearse(&cfg->args, b->port.msg.role, cfg->np, iter, &b->port.msg);
}

/* Remember a role's log. Entries of an iteration that is not committed are not replayed. */
static void remember(struct moment *at, const struct books *b, int64_t front)
{
	size_t np = (size_t)b->policy.np, row = (size_t)b->policy.role * np;

	at->front[b->policy.role] = front;
	memcpy(at->hole + row, b->log.hole, np * sizeof *at->hole);
	for (size_t i = 0; i < b->log.count; i++)
		if (log_iter(&b->log, &b->log.entry[i]) < front)
			at->holds[row + (size_t)b->log.entry[i].dst] = true;
}

/* early: at lo, between two iterations. late: at hi, at the end of the iteration under way, so with
 * everything switched off that this iteration may switch off. */
static int rehearse_role(struct forecast *f, const struct ft_config *cfg, int role, int64_t lo,
			 int64_t hi, struct moment *early, struct moment *late)
{
	struct books b;
	int rc = books_open(&b, cfg, role);

	if (rc != RB_OK)
		return rc;
	log_restart(&b.log, f->checkpoint);
	for (int64_t i = f->checkpoint; rc == RB_OK && i <= hi; i++) {
		if (i > f->checkpoint && i % cfg->interval == 0)
			log_mark(&b.log, i); /* taken, but it does not count yet */
		if (i == lo)
			remember(early, &b, lo);
		rc = rehearse(&b, cfg, i);
		if (i < hi)
			log_commit(&b.log);
	}
	remember(late, &b, hi);
	f->log_peak[role] = b.log.bytes_peak;
	books_close(&b);
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
		struct books b;
		int rc = books_open(&b, &cfg, role);

		if (rc != RB_OK)
			return rb_fail(err, rc, "out of memory for a forecast");
		for (int64_t i = 0; rc == RB_OK && i < end; i++) {
			if (i % interval == 0)
				log_restart(&b.log, i);
			rc = rehearse(&b, &cfg, i);
			log_commit(&b.log);
		}
		*peak = b.log.bytes_peak > *peak ? b.log.bytes_peak : *peak;
		books_close(&b);
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
	struct books b;
	int rc = books_open(&b, cfg, role);

	if (rc != RB_OK)
		return rc;
	for (int64_t i = 0; rc == RB_OK && i < sample; i++) {
		rc = rehearse(&b, cfg, i);
		log_commit(&b.log);
	}
	*messages = (int64_t)b.log.count;
	*bytes = 0;
	for (size_t i = 0; i < b.log.count; i++)
		*bytes = (int64_t)arena_after((size_t)*bytes, b.log.entry[i].bytes);
	/* A policy that logs no more than this had better not be extrapolated. */
	if (rc == RB_OK && sample < end && b.policy.ops == &policy_all) {
		*messages = *messages * end / sample;
		*bytes = *bytes * end / sample;
	}
	books_close(&b);
	return rc;
}

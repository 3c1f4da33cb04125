#include "profile/recorded.h"

#include "base/status.h"
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* floor(i whole / parts) */
static int64_t share(int64_t i, int64_t whole, int64_t parts)
{
	return (int64_t)((wide)i * (wide)whole / (wide)parts);
}

/* Calls for the messages of a channel in an iteration. */
struct calls {
	const struct recorded *r;
	int64_t turn; /* the iteration, of those recorded */
	pattern_watch *watch;
	void *ctx;
	int posted; /* receives, which no wait has completed */
};

static int wait_for_all(struct calls *c)
{
	c->posted = 0;
	return c->watch(c->ctx, &(struct pattern_operation){ PATTERN_WAIT, -1, -1, 0, false });
}

static int call(struct calls *c, enum pattern_kind kind, int peer, int64_t bytes)
{
	const struct pattern_operation o = { kind, peer, 0, (size_t)bytes, false };

	if (kind == PATTERN_RECEIVE && c->posted == MSG_POST_MAX)
		RB_TRY(wait_for_all(c));
	c->posted += kind == PATTERN_RECEIVE;
	return c->watch(c->ctx, &o);
}

static int call_channel(struct calls *c, enum pattern_kind kind, const struct profile_channel *m)
{
	const int peer = kind == PATTERN_SEND ? m->destination : m->source;
	const int64_t n = c->r->iterations;
	const int64_t first = c->r->by_phase ? 0 : share(c->turn, m->count, n);
	const int64_t end = c->r->by_phase ? m->count : share(c->turn + 1, m->count, n);

	for (int64_t k = first; k < end; k++)
		RB_TRY(call(c, kind, peer,
			    share(k + 1, m->bytes, m->count) - share(k, m->bytes, m->count)));
	return RB_OK;
}

/* The first of the channels whose phase and rank are not before these. */
static size_t lower(const struct profile_channel *c, size_t count, bool in, int32_t phase, int rank)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int here = in ? c[middle].destination : c[middle].source;

		if (c[middle].phase < phase || (c[middle].phase == phase && here < rank))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int call_all(struct calls *c, enum pattern_kind kind, int role)
{
	const struct recorded *r = c->r;
	const bool in = kind == PATTERN_RECEIVE;
	const struct profile_channel *list = in ? r->in : r->out;
	const int32_t phase = r->by_phase ? r->phase[c->turn] : 0;

	for (size_t i = lower(list, r->channels, in, phase, role);
	     i < r->channels && list[i].phase == phase &&
	     (in ? list[i].destination : list[i].source) == role;
	     i++)
		RB_TRY(call_channel(c, kind, &list[i]));
	return RB_OK;
}

static int operations(const struct pattern *pattern, int role, int64_t iter, pattern_watch *watch,
		      void *ctx)
{
	const struct recorded *r = (const struct recorded *)pattern;
	struct calls c = { .r = r, .turn = iter % r->iterations, .watch = watch, .ctx = ctx };

	/* Sends first if there are several waits: nobody waits for a message that its sender cannot
	 * send yet. */
	RB_TRY(call_all(&c, PATTERN_SEND, role));
	RB_TRY(call_all(&c, PATTERN_RECEIVE, role));
	return wait_for_all(&c);
}

/* "N", "N:P" or "phases". *phase: only if *one. */
static int parse(const char *path, const char *text, int64_t *iterations, bool *one, int64_t *phase,
		 struct rb_error *err)
{
	const char *rest = text;
	bool negative;

	*one = false;
	*iterations = 0;
	if (strcmp(text, "phases") == 0)
		return RB_OK;
	if (text_digits(&rest, iterations) && *iterations >= 1 && *iterations <= INT_MAX &&
	    *rest == '\0')
		return RB_OK;
	negative = rest[0] == ':' && rest[1] == '-';
	*one = *iterations >= 1 && *iterations <= INT_MAX && *rest == ':' &&
	       text_integer(rest + 1 + negative, 0, INT32_MAX, phase);
	*phase = negative ? -*phase : *phase;
	return *one ? RB_OK
		    : rb_fail(err, RB_EINVAL,
			      "--iterations %.40s, of %.200s: expected N, N:PHASE or phases: how "
			      "many iterations the recorded run had",
			      text, path);
}

/* What goes to the own rank stays there. */
static void drop_self(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->channels; i++)
		if (p->channel[i].source != p->channel[i].destination)
			p->channel[kept++] = p->channel[i];
	p->channels = kept;
}

static int by_destination(const void *a, const void *b)
{
	const struct profile_channel *x = a, *y = b;

	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	if (x->destination != y->destination)
		return x->destination < y->destination ? -1 : 1;
	return (x->source > y->source) - (x->source < y->source);
}

/* Take the channels over from the profile. */
static int take(struct recorded *r, struct profile *p, struct rb_error *err)
{
	const size_t bytes = p->channels * sizeof *r->in;

	r->out = p->channel;
	r->channels = p->channels;
	p->channel = NULL;
	p->channels = 0;
	r->in = malloc(bytes + 1);
	r->phase = malloc((r->channels + 1) * sizeof *r->phase);
	if (!r->in || !r->phase)
		return rb_fail(err, RB_ENOMEM, "out of memory for a pattern of %zu channels",
			       r->channels);
	if (bytes > 0)
		memcpy(r->in, r->out, bytes);
	qsort(r->in, r->channels, sizeof *r->in, by_destination);
	if (!r->by_phase)
		return RB_OK;
	for (size_t i = 0; i < r->channels; i++)
		if (r->iterations == 0 || r->phase[r->iterations - 1] != r->out[i].phase)
			r->phase[r->iterations++] = r->out[i].phase;
	return RB_OK;
}

static int make(struct recorded *r, struct profile *p, const char *path, const char *iterations,
		struct rb_error *err)
{
	const char *text = iterations && iterations[0] ? iterations : profile_get(p, "iterations");
	int64_t phase = 0;
	bool one;

	if (!text)
		return rb_fail(
			err, RB_EINVAL,
			"%.200s: how many iterations had the run? Say --iterations N, or N:PHASE "
			"for a phase alone, or --iterations phases if each phase is an iteration",
			path);
	RB_TRY(parse(path, text, &r->iterations, &one, &phase, err));
	r->by_phase = r->iterations == 0;
	if (one)
		RB_TRY(profile_keep_phase(p, (int)phase, err));
	drop_self(p);
	if (!r->by_phase)
		profile_sum_phases(p);
	if (p->channels == 0)
		return rb_fail(
			err, RB_EINVAL,
			"%.200s: no rank sends a message to another one, so this is no pattern",
			path);
	return take(r, p, err);
}

int recorded_open(struct recorded *r, const char *path, int np, const char *iterations,
		  struct rb_error *err)
{
	struct profile p;
	int rc;

	*r = (struct recorded){ .iterations = 0 };
	rc = profile_read(&p, path, np, err);
	r->pattern = (struct pattern){ p.np, operations };
	if (rc == RB_OK)
		rc = make(r, &p, path, iterations, err);
	profile_free(&p);
	return rc;
}

void recorded_close(struct recorded *r)
{
	free(r->phase);
	free(r->out);
	free(r->in);
	*r = (struct recorded){ .iterations = 0 };
}

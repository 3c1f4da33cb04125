#include "forecast/study/online.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* One channel of the rank that sends. */
struct flow {
	size_t channel;
	int64_t bytes; /* of the whole matrix */
	int64_t sent;  /* so far; with reset, since the last checkpoint */
	int64_t held;  /* in the log */
	bool off;
};

/* A rank that sends. */
struct sender {
	struct flow *flow;
	size_t count;
	int64_t log;
	long double cap;
	int64_t log_most;
};

/* The channel with the most bytes so far; ties go to the smallest receiver. NULL: all are off. */
static struct flow *heaviest(const struct sender *x)
{
	struct flow *found = NULL;

	for (size_t i = 0; i < x->count; i++)
		if (!x->flow[i].off && (!found || x->flow[i].sent > found->sent))
			found = &x->flow[i];
	return found;
}

/* The paper's SENDMSG, lines 7 to 12. */
static void send(struct sender *x, struct flow *f, int64_t bytes)
{
	if ((long double)x->log > x->cap) {
		struct flow *most = heaviest(x);

		if (most) {
			most->off = true;
			x->log -= most->held;
			most->held = 0;
		}
	}
	if (!f->off) {
		x->log += bytes;
		f->held += bytes;
	}
	f->sent += bytes;
	x->log_most = x->log > x->log_most ? x->log : x->log_most;
}

static void checkpoint(struct sender *x, bool reset)
{
	x->log = 0;
	for (size_t i = 0; i < x->count; i++) {
		x->flow[i].held = 0;
		if (reset) {
			x->flow[i].sent = 0;
			x->flow[i].off = false;
		}
	}
}

/* Share number `i` of `parts` nearly equal ones, without overflow. */
static int64_t share(int64_t bytes, int64_t i, int64_t parts)
{
	const int64_t rest = bytes % parts;

	return bytes / parts + (i + 1) * rest / parts - i * rest / parts;
}

static void run(struct sender *x, const struct timing *t, bool reset)
{
	const int64_t parts = (int64_t)t->intervals * t->rounds;

	for (int64_t i = 0; i < parts; i++) {
		if (i % t->rounds == 0)
			checkpoint(x, reset);
		for (size_t k = 0; k < x->count; k++) {
			const int64_t bytes = share(x->flow[k].bytes, i, parts);

			if (bytes > 0)
				send(x, &x->flow[k], bytes);
		}
	}
}

int online_apply(bool reset, const struct exchange *e, double theta, const struct timing *t,
		 bool *off, int64_t *log)
{
	struct sender x = { .cap = (long double)theta * (long double)exchange_largest_log(e) / 100 /
				   t->intervals };

	x.flow = malloc(exchange_most_channels(e) * sizeof *x.flow);
	if (!x.flow)
		return RB_ENOMEM;
	for (int r = 0; r < e->np; r++) {
		x.count = 0;
		x.log = 0;
		for (size_t i = e->first[r]; i < e->first[r + 1]; i++)
			if (e->receiver[i] != r && e->bytes[i] > 0)
				x.flow[x.count++] =
					(struct flow){ .channel = i, .bytes = e->bytes[i] };
		run(&x, t, reset);
		for (size_t i = 0; i < x.count; i++)
			off[x.flow[i].channel] = x.flow[i].off;
	}
	*log = x.log_most;
	free(x.flow);
	return RB_OK;
}

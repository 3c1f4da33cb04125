#include "kernels/bfs/exchange.h"

#include "base/status.h"

/* The roles with which role `role` exchanges messages together: those at distance first, ..., last
 * - 1. */
struct round {
	int role, np, first, last;
};

static struct round round_from(int role, int np, int first)
{
	const int last = first + EXCHANGE_AT_ONCE;

	return (struct round){ role, np, first, last < np ? last : np };
}

static int source(const struct round *r, int distance)
{
	return (r->role - distance + r->np) % r->np;
}

static void post(const struct exchange *x, struct msg *m, const struct round *r, struct hit *inbox)
{
	for (int d = r->first; d < r->last; d++) {
		const uint32_t room = x->room(x->ctx, source(r, d));

		if (inbox)
			inbox->vertex = HIT_NONE;
		msg_post(m, source(r, d), TAG_HITS, inbox, room * sizeof *inbox);
		inbox = inbox ? inbox + room + 1 : NULL;
	}
}

static void take(const struct exchange *x, const struct round *r, const struct hit *inbox)
{
	for (int d = r->first; d < r->last; d++) {
		x->take(x->ctx, inbox);
		inbox += x->room(x->ctx, source(r, d)) + 1;
	}
}

int exchange_level(const struct exchange *x, struct msg *m, struct hit *inbox)
{
	const int np = msg_np(m);

	for (int first = 1; first < np; first += EXCHANGE_AT_ONCE) {
		const struct round r = round_from(msg_role(m), np, first);

		post(x, m, &r, inbox);
		for (int d = r.first; d < r.last; d++)
			RB_TRY(x->send(x->ctx, m, (r.role + d) % np));
		RB_TRY(msg_wait(m));
		if (inbox)
			take(x, &r, inbox);
	}
	return RB_OK;
}

size_t exchange_inbox(const struct exchange *x, int role, int np)
{
	size_t most = 1;

	for (int first = 1; first < np; first += EXCHANGE_AT_ONCE) {
		const struct round r = round_from(role, np, first);
		size_t room = 0;

		for (int d = r.first; d < r.last; d++)
			room += (size_t)x->room(x->ctx, source(&r, d)) + 1;
		most = room > most ? room : most;
	}
	return most;
}

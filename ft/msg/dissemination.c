#include "ft/msg/dissemination.h"

#include <string.h>

void dissemination_init(struct dissemination *d, struct link *link, int tag)
{
	memset(d, 0, sizeof *d);
	d->link = link;
	d->tag = tag;
}

void dissemination_free(struct dissemination *d)
{
	requests_free(&d->requests);
}

/* The blocks of roles first, ..., first + count - 1. Behind the last role comes role 0, so they may
 * lie in two pieces. */
static int move(struct dissemination *d, bool send, int first, int count, int peer)
{
	const int np = d->link->np, tag = d->tag + d->round;
	int rc = RB_OK;

	first = (first + np) % np;
	while (rc == RB_OK && count > 0) {
		const int piece = d->bytes == 0 || count <= np - first ? count : np - first;
		const size_t bytes = (size_t)piece * d->bytes;
		char *blocks = d->all ? d->all + (size_t)first * d->bytes : NULL;

		rc = send ? link_send(d->link, &d->requests, blocks, bytes, peer, tag)
			  : link_receive(d->link, &d->requests, blocks, bytes, peer, tag);
		count -= piece;
		first = 0;
	}
	return rc;
}

static bool is_over(const struct dissemination *d)
{
	return d->step >= d->link->np;
}

/* This role knows the blocks of the last `step` roles up to itself. */
static int begin_round(struct dissemination *d)
{
	const struct link *l = d->link;
	int to, from, count;

	if (is_over(d))
		return RB_OK;
	to = (l->role + d->step) % l->np;
	from = (l->role - d->step + l->np) % l->np;
	count = d->step < l->np - d->step ? d->step : l->np - d->step;
	RB_TRY(move(d, false, from - count + 1, count, from));
	return move(d, true, l->role - count + 1, count, to);
}

static int next_round(struct dissemination *d)
{
	d->round++;
	d->step *= 2;
	return begin_round(d);
}

int dissemination_begin(struct dissemination *d, void *all, size_t bytes)
{
	d->all = all;
	d->bytes = bytes;
	d->round = 0;
	d->step = 1;
	return begin_round(d);
}

int dissemination_test(struct dissemination *d, bool *done)
{
	bool through = true;

	while (through && !is_over(d)) {
		RB_TRY(link_test(d->link, &d->requests, &through));
		if (through)
			RB_TRY(next_round(d));
	}
	*done = through;
	return RB_OK;
}

int dissemination_wait(struct dissemination *d, void (*before_wait)(void *ctx), void *ctx)
{
	while (!is_over(d)) {
		if (before_wait)
			before_wait(ctx);
		RB_TRY(link_wait(d->link, &d->requests));
		RB_TRY(next_round(d));
	}
	return RB_OK;
}

void dissemination_abort(struct dissemination *d)
{
	requests_drain(&d->requests);
}

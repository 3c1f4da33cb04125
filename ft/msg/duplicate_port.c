#include "ft/msg/duplicate_port.h"

#include <string.h>

static struct duplicate_port *port_of(struct msg *m)
{
	return (struct duplicate_port *)m;
}

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct plain_port *p = &port_of(m)->plain;

	return plain_take(p, arena_take(&p->scratch, bytes), dst, tag, bytes);
}

/* The operation is done. RB_STOPPED: it was the last one. */
static int done(struct duplicate_port *p)
{
	p->at.number++;
	return place_before(p->at, p->x.end) ? RB_OK : RB_STOPPED;
}

/* What was packed can be wrong. A stored copy is right. */
static void prefer_stored(struct duplicate_port *p)
{
	void *stored = place_before(p->at, p->x.part) ? NULL : ports_stored(p->x.of, p->at);

	if (stored)
		p->plain.slot.payload = stored;
}

static int push(struct msg *m)
{
	struct duplicate_port *p = port_of(m);

	if (demand_has(&p->x.of->demand, p->at, p->plain.slot.dst)) {
		prefer_stored(p);
		RB_TRY(plain_push(m));
	}
	return done(p);
}

static void post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	struct duplicate_port *p = port_of(m);

	if (p->receives == MSG_POST_MAX)
		link_too_many(p->plain.link); /* the wait returns it */
	else
		p->posted[p->receives++] = (struct duplicate_receive){ src, tag, buf, bytes };
}

static int wait_here(struct msg *m)
{
	struct duplicate_port *p = port_of(m);

	for (int i = 0; i < p->receives; i++) {
		const struct duplicate_receive *r = &p->posted[i];

		if (!absence_among(p->x.absent, p->x.absences,
				   (struct absence){ p->at.iter, r->src }))
			plain_post(m, r->src, r->tag, r->buf, r->bytes);
	}
	p->receives = 0;
	RB_TRY(plain_wait(m));
	return done(p);
}

/* The role has gone through this iteration, so it knows all results. If it does not, the run ends:
 * no message of the reduction may leave, so the next wait fails. */
static bool recall(struct msg *m, double *v, size_t n)
{
	struct duplicate_port *p = port_of(m);

	if (!results_read(&p->x.of->results->results, p->at.iter, &p->taken, v, n))
		link_no_result(p->plain.link, p->at.iter);
	return true;
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = push,
	.post = post,
	.wait = wait_here,
	.carries_data = true,
	.recall = recall,
};

void duplicate_init(struct duplicate_port *p, const struct duplicate_case *x)
{
	memset(p, 0, sizeof *p);
	plain_init(&p->plain, x->of->plain.link);
	p->plain.msg.ops = &ops;
	p->x = *x;
}

void duplicate_free(struct duplicate_port *p)
{
	plain_free(&p->plain);
}

void duplicate_begin(struct duplicate_port *p, int64_t iter)
{
	plain_begin(&p->plain);
	p->at = (struct place){ iter, 0 };
	p->taken = 0;
	p->receives = 0;
}

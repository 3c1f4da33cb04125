/* Reductions on logged point-to-point messages: replay covers them like any other message, and the
 * order of operations is fixed, so the result has the same bits in every run. With a port that
 * carries no data only the calls are made, so that large operands cost no time. */
#include "contract/collective.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

static void add(double *restrict v, const double *restrict other, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] += other[i];
}

/* Of zeros of both signs the positive one, and one and the same NaN rather than a number, so that
 * the order does not matter. */
static double larger_of(double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return b > a || (b == a && !signbit(b)) ? b : a;
}

static void larger(double *restrict v, const double *restrict other, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = larger_of(v[i], other[i]);
}

static int role_of(const struct reduction *r, int peer)
{
	return r->group->role ? r->group->role[peer] : peer;
}

int reduction_send(const struct reduction *r, int peer, int tag)
{
	double *slot = msg_reserve(r->m, role_of(r, peer), tag, r->n * sizeof *slot);

	if (r->m->ops->carries_data)
		memcpy(slot, r->v, r->n * sizeof *slot);
	return msg_push(r->m);
}

int reduction_receive(const struct reduction *r, int peer, int tag)
{
	msg_post(r->m, role_of(r, peer), tag, r->v, r->n * sizeof *r->v);
	return msg_wait(r->m);
}

/* With a port that carries no data, scratch is not set. */
static int combine_with_scratch(const struct reduction *r)
{
	if (r->m->ops->carries_data)
		r->op(r->v, r->scratch, r->n);
	return RB_OK;
}

int reduction_take(const struct reduction *r, int peer, int tag)
{
	msg_post(r->m, role_of(r, peer), tag, r->scratch, r->n * sizeof *r->v);
	RB_TRY(msg_wait(r->m));
	return combine_with_scratch(r);
}

int reduction_exchange(const struct reduction *r, int peer, int tag)
{
	msg_post(r->m, role_of(r, peer), tag, r->scratch, r->n * sizeof *r->v);
	RB_TRY(reduction_send(r, peer, tag));
	RB_TRY(msg_wait(r->m));
	return combine_with_scratch(r);
}

/* The lower half of a line folds upwards, the upper half downwards; then the result goes back the
 * same way. A line of even length has two roles in the middle, which exchange. `x` is the caller's
 * place, `stride` the distance of neighbours. */
static int reduce_line(const struct reduction *r, int x, int length, int stride)
{
	const int lower = (length - 1) / 2, upper = length / 2, tag = r->tag;
	const int below = r->group->me - stride, above = r->group->me + stride;
	const int inwards = x < upper ? above : below;

	if (x > 0 && x <= lower)
		RB_TRY(reduction_take(r, below, tag));
	if (x < length - 1 && x >= upper)
		RB_TRY(reduction_take(r, above, tag));
	if (x < lower || x > upper) {
		RB_TRY(reduction_send(r, inwards, tag));
		RB_TRY(reduction_receive(r, inwards, tag + 1));
	} else if (lower != upper) {
		RB_TRY(reduction_exchange(r, inwards, tag));
	}
	if (x > 0 && x <= lower)
		RB_TRY(reduction_send(r, below, tag + 1));
	if (x < length - 1 && x >= upper)
		RB_TRY(reduction_send(r, above, tag + 1));
	return RB_OK;
}

static int reduce_grid(const struct reduction *r, const struct msg_shape *shape)
{
	int stride = 1;

	for (int a = shape->axes - 1; a >= 0; a--) {
		RB_TRY(reduce_line(r, r->group->me / stride % shape->length[a], shape->length[a],
				   stride));
		stride *= shape->length[a];
	}
	return RB_OK;
}

static int reduce(const struct reduction *r, const struct msg_shape *shape)
{
	switch (shape->kind) {
	case MSG_DOUBLING:
		return reduce_doubling(r);
	case MSG_BINOMIAL:
		return reduce_binomial(r);
	case MSG_RING:
		return reduce_ring(r);
	case MSG_CENTRAL:
		return reduce_central(r);
	case MSG_GRID:
		break;
	}
	return reduce_grid(r, shape);
}

int msg_sum(struct msg *m, const struct msg_shape *shape, const struct msg_group *group, int tag,
	    double *v, size_t n, double *scratch)
{
	const struct reduction r = { m, group, tag, v, n, scratch, add };

	return reduce(&r, shape);
}

/* Reductions over all roles: a port may know the result, and may want to know it. */
static int reduce_all(struct msg *m, const struct msg_shape *shape, int tag, double *v, size_t n,
		      combine *op)
{
	const struct msg_group all = { NULL, msg_np(m), msg_role(m) };
	double scratch[COLLECTIVE_SMALL];
	const struct reduction r = { m, &all, tag, v, n, scratch, op };

	if (m->ops->recall && m->ops->recall(m, v, n))
		return RB_OK;
	RB_TRY(reduce(&r, shape));
	return m->ops->record ? m->ops->record(m, v, n) : RB_OK;
}

static const struct msg_shape usual = { .kind = MSG_DOUBLING };

int msg_sum_all(struct msg *m, int tag, double *v, size_t n)
{
	return reduce_all(m, &usual, tag, v, n, add);
}

int msg_max_all(struct msg *m, int tag, double *v, size_t n)
{
	return reduce_all(m, &usual, tag, v, n, larger);
}

int msg_sum_shape(struct msg *m, const struct msg_shape *shape, int tag, double *v, size_t n)
{
	return reduce_all(m, shape, tag, v, n, add);
}

int msg_max_shape(struct msg *m, const struct msg_shape *shape, int tag, double *v, size_t n)
{
	return reduce_all(m, shape, tag, v, n, larger);
}

/* Reductions on logged point-to-point messages: replay covers them like any other message, and the order of
 * operations is fixed, so the result has the same bits in every run. With a port that carries no data only
 * the calls are made, so that large operands cost no time. */
#include "ft/msg/port.h"

#include <string.h>

enum { SMALL_MAX = 16 };

typedef void combine(double *v, const double *other, size_t n);

static void add(double *restrict v, const double *restrict other, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] += other[i];
}

static void larger(double *restrict v, const double *restrict other, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = other[i] > v[i] ? other[i] : v[i];
}

/* The caller's place in a group; group == NULL means all roles. */
struct member {
	const int *group;
	int count, me;
};

static int role_of(const struct member *g, int index)
{
	return g->group ? g->group[index] : index;
}

static int send_to(struct msg *m, const struct member *g, int peer, int tag, const double *v,
		   size_t n)
{
	double *slot = msg_reserve(m, role_of(g, peer), tag, n * sizeof *v);

	if (m->ops->carries_data)
		memcpy(slot, v, n * sizeof *v);
	return msg_push(m);
}

static int receive_from(struct msg *m, const struct member *g, int peer, int tag, double *v,
			size_t n)
{
	msg_post(m, role_of(g, peer), tag, v, n * sizeof *v);
	return msg_wait(m);
}

/* Recursive doubling among the first `power` members. Both partners form the same sum, since
 * a + b == b + a bit for bit. */
static int doubling(struct msg *m, const struct member *g, int power, int tag, double *v, size_t n,
		    double *scratch, combine *op)
{
	for (int bit = 1; bit < power; bit *= 2) {
		int peer = g->me ^ bit;

		msg_post(m, role_of(g, peer), tag, scratch, n * sizeof *v);
		RB_TRY(send_to(m, g, peer, tag, v, n));
		RB_TRY(msg_wait(m));
		if (m->ops->carries_data)
			op(v, scratch, n);
	}
	return RB_OK;
}

/* Members beyond the largest power of two fold into a partner first and get the result back. */
static int reduce(struct msg *m, const struct member *g, int tag, double *v, size_t n,
		  double *scratch, combine *op)
{
	int power = 1, extra;

	while (power * 2 <= g->count)
		power *= 2;
	extra = g->count - power;
	if (g->me >= power) {
		RB_TRY(send_to(m, g, g->me - power, tag + 1, v, n));
		return receive_from(m, g, g->me - power, tag + 1, v, n);
	}
	if (g->me < extra) {
		RB_TRY(receive_from(m, g, g->me + power, tag + 1, scratch, n));
		if (m->ops->carries_data)
			op(v, scratch, n);
	}
	RB_TRY(doubling(m, g, power, tag, v, n, scratch, op));
	if (g->me < extra)
		return send_to(m, g, g->me + power, tag + 1, v, n);
	return RB_OK;
}

int msg_sum(struct msg *m, const int *group, int count, int me, int tag, double *v, size_t n,
	    double *scratch)
{
	struct member g = { group, count, me };

	return reduce(m, &g, tag, v, n, scratch, add);
}

/* Reductions over all roles: a port may know the result, and may want to know it. */
static bool recall(struct msg *m, double *v, size_t n)
{
	return m->ops->recall && m->ops->recall(m, v, n);
}

static int record(struct msg *m, const double *v, size_t n)
{
	return m->ops->record ? m->ops->record(m, v, n) : RB_OK;
}

static int reduce_all(struct msg *m, int tag, double *v, size_t n, combine *op)
{
	struct member g = { NULL, msg_np(m), msg_role(m) };
	double scratch[SMALL_MAX];

	if (recall(m, v, n))
		return RB_OK;
	RB_TRY(reduce(m, &g, tag, v, n, scratch, op));
	return record(m, v, n);
}

int msg_sum_all(struct msg *m, int tag, double *v, size_t n)
{
	return reduce_all(m, tag, v, n, add);
}

int msg_max_all(struct msg *m, int tag, double *v, size_t n)
{
	return reduce_all(m, tag, v, n, larger);
}

/* With a port that carries no data, `other` is not set. */
static void combine_with(const struct msg *m, double *v, const double *other, size_t n, combine *op)
{
	if (m->ops->carries_data)
		op(v, other, n);
}

/* The lower half of a line folds upwards, the upper half downwards; then the result goes back the same way. A
 * line of even length has two roles in the middle, which exchange. `x` is the caller's place, `stride` the
 * distance of neighbours. */
static int reduce_line(struct msg *m, int x, int length, int stride, int tag, double *v, size_t n,
		       combine *op)
{
	struct member g = { NULL, msg_np(m), msg_role(m) };
	int lower = (length - 1) / 2, upper = length / 2, below = g.me - stride, above = g.me + stride;
	int inwards = x < upper ? above : below;
	double other[SMALL_MAX];

	if (x > 0 && x <= lower) {
		RB_TRY(receive_from(m, &g, below, tag, other, n));
		combine_with(m, v, other, n, op);
	}
	if (x < length - 1 && x >= upper) {
		RB_TRY(receive_from(m, &g, above, tag, other, n));
		combine_with(m, v, other, n, op);
	}
	if (x < lower || x > upper) {
		RB_TRY(send_to(m, &g, inwards, tag, v, n));
		RB_TRY(receive_from(m, &g, inwards, tag + 1, v, n));
	} else if (lower != upper) {
		msg_post(m, inwards, tag, other, n * sizeof *v);
		RB_TRY(send_to(m, &g, inwards, tag, v, n));
		RB_TRY(msg_wait(m));
		combine_with(m, v, other, n, op);
	}
	if (x > 0 && x <= lower)
		RB_TRY(send_to(m, &g, below, tag + 1, v, n));
	if (x < length - 1 && x >= upper)
		RB_TRY(send_to(m, &g, above, tag + 1, v, n));
	return RB_OK;
}

static int reduce_grid(struct msg *m, const int *length, int axes, int tag, double *v, size_t n,
		       combine *op)
{
	int stride = 1;

	if (recall(m, v, n))
		return RB_OK;
	for (int a = axes - 1; a >= 0; a--) {
		RB_TRY(reduce_line(m, msg_role(m) / stride % length[a], length[a], stride, tag, v,
				   n, op));
		stride *= length[a];
	}
	return record(m, v, n);
}

int msg_sum_grid(struct msg *m, const int *length, int axes, int tag, double *v, size_t n)
{
	return reduce_grid(m, length, axes, tag, v, n, add);
}

int msg_max_grid(struct msg *m, const int *length, int axes, int tag, double *v, size_t n)
{
	return reduce_grid(m, length, axes, tag, v, n, larger);
}

#include "kernels/amr/items.h"

#include "base/grow.h"
#include "base/status.h"

#include <string.h>

int items_init(struct items *x, int np)
{
	memset(x, 0, sizeof *x);
	x->to = calloc((size_t)np, sizeof *x->to);
	x->from = calloc((size_t)np, sizeof *x->from);
	return x->to && x->from ? RB_OK : RB_ENOMEM;
}

void items_free(struct items *x)
{
	free(x->list);
	free(x->to);
	free(x->from);
	free(x->inbox);
}

void items_clear(struct items *x)
{
	x->count = 0;
}

int items_add(struct items *x, const struct item *item)
{
	struct item *list = grow(x->list, x->count + 1, &x->room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	x->list = list;
	list[x->count++] = *item;
	return RB_OK;
}

/* What of each role comes one behind the other, in the order in which it is listed. */
static size_t count(struct items *x, int me, int np)
{
	size_t begin = 0;

	memset(x->to, 0, (size_t)np * sizeof *x->to);
	memset(x->from, 0, (size_t)np * sizeof *x->from);
	for (size_t i = 0; i < x->count; i++) {
		if (x->list[i].source == me)
			x->to[x->list[i].receiver] += x->list[i].count;
		if (x->list[i].receiver == me)
			x->from[x->list[i].source] += x->list[i].count;
	}
	for (int r = 0; r < np; r++) {
		const size_t size = x->from[r];

		x->from[r] = begin;
		begin += size;
	}
	for (size_t i = 0; i < x->count; i++)
		if (x->list[i].receiver == me) {
			x->list[i].at = x->from[x->list[i].source];
			x->from[x->list[i].source] += x->list[i].count;
		}
	for (int r = np - 1; r > 0; r--) /* from[r] is the end of r now; make it the size */
		x->from[r] -= x->from[r - 1];
	return begin;
}

static int make_room(struct items *x, size_t size)
{
	if (x->inbox && size <= x->inbox_room)
		return RB_OK;
	free(x->inbox);
	x->inbox_room = size + size / 2 + 1;
	x->inbox = malloc(x->inbox_room * sizeof *x->inbox);
	return x->inbox ? RB_OK : RB_ENOMEM;
}

static int send_to(const struct items *x, struct msg *m, int dst, int tag, items_pack *pack,
		   void *ctx)
{
	int64_t *out = msg_reserve(m, dst, tag, x->to[dst] * sizeof *out);

	for (size_t i = 0; pack && i < x->count; i++)
		if (x->list[i].source == msg_role(m) && x->list[i].receiver == dst) {
			pack(ctx, &x->list[i], out);
			out += x->list[i].count;
		}
	return msg_push(m);
}

static int receive_all(struct items *x, struct msg *m, int tag)
{
	size_t begin = 0;
	int posted = 0;

	for (int r = 0; r < msg_np(m); r++) {
		if (r != msg_role(m) && x->from[r] > 0) {
			msg_post(m, r, tag, x->inbox ? x->inbox + begin : NULL,
				 x->from[r] * sizeof *x->inbox);
			posted++;
		}
		begin += x->from[r];
		if (posted == MSG_POST_MAX) {
			RB_TRY(msg_wait(m));
			posted = 0;
		}
	}
	return posted > 0 ? msg_wait(m) : RB_OK;
}

int items_send(struct items *x, struct msg *m, int tag, items_pack *pack, void *ctx)
{
	const int np = msg_np(m), me = msg_role(m);
	const size_t size = count(x, me, np);

	if (pack)
		RB_TRY(make_room(x, size));
	for (int d = 1; d < np; d++)
		if (x->to[(me + d) % np] > 0)
			RB_TRY(send_to(x, m, (me + d) % np, tag, pack, ctx));
	RB_TRY(receive_all(x, m, tag));
	for (size_t i = 0; pack && i < x->count; i++)
		if (x->list[i].source == me && x->list[i].receiver == me)
			pack(ctx, &x->list[i], x->inbox + x->list[i].at);
	return RB_OK;
}

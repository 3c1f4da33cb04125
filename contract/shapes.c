/* How the members of a group reach each other in a reduction. Which of them exchange messages
 * decides who has to replay to a restarted one (power-log-n-roll paper, Sect. 6.3). */
#include "contract/collective.h"

#include "base/status.h"

/* Recursive doubling among the first `power` members. Both partners form the same sum, since
 * a + b == b + a bit for bit. */
static int double_up(const struct reduction *r, int power)
{
	for (int bit = 1; bit < power; bit *= 2)
		RB_TRY(reduction_exchange(r, r->group->me ^ bit, r->tag));
	return RB_OK;
}

/* Members beyond the largest power of two fold into a partner first and get the result back. */
int reduce_doubling(const struct reduction *r)
{
	const int me = r->group->me, count = r->group->count;
	int power = 1, extra;

	while (power * 2 <= count)
		power *= 2;
	extra = count - power;
	if (me >= power) {
		RB_TRY(reduction_send(r, me - power, r->tag + 1));
		return reduction_receive(r, me - power, r->tag + 1);
	}
	if (me < extra)
		RB_TRY(reduction_take(r, me + power, r->tag + 1));
	RB_TRY(double_up(r, power));
	return me < extra ? reduction_send(r, me + power, r->tag + 1) : RB_OK;
}

/* The parent of a member lacks its lowest bit, so member 0 is the root. Sums go up to it, the
 * result comes down. */
int reduce_binomial(const struct reduction *r)
{
	const int me = r->group->me, count = r->group->count;
	int bit = 1;

	for (; bit < count && !(me & bit); bit *= 2)
		if (me + bit < count)
			RB_TRY(reduction_take(r, me + bit, r->tag));
	if (me > 0) {
		RB_TRY(reduction_send(r, me - bit, r->tag));
		RB_TRY(reduction_receive(r, me - bit, r->tag + 1));
	}
	while ((bit /= 2) > 0)
		if (me + bit < count)
			RB_TRY(reduction_send(r, me + bit, r->tag + 1));
	return RB_OK;
}

/* Once around from member 0, to form the sum, and once more, to hand it out: everyone receives from
 * the member before only. */
int reduce_ring(const struct reduction *r)
{
	const int me = r->group->me, last = r->group->count - 1;

	if (last == 0)
		return RB_OK;
	if (me > 0)
		RB_TRY(reduction_take(r, me - 1, r->tag));
	if (me == last)
		return reduction_send(r, 0, r->tag + 1);
	RB_TRY(reduction_send(r, me + 1, r->tag));
	RB_TRY(reduction_receive(r, me > 0 ? me - 1 : last, r->tag + 1));
	return me + 1 < last ? reduction_send(r, me + 1, r->tag + 1) : RB_OK;
}

/* Member 0 takes the numbers of all others, in their order, and sends each of them the result. */
int reduce_central(const struct reduction *r)
{
	const int count = r->group->count;

	if (r->group->me > 0) {
		RB_TRY(reduction_send(r, 0, r->tag));
		return reduction_receive(r, 0, r->tag + 1);
	}
	for (int i = 1; i < count; i++)
		RB_TRY(reduction_take(r, i, r->tag));
	for (int i = 1; i < count; i++)
		RB_TRY(reduction_send(r, i, r->tag + 1));
	return RB_OK;
}

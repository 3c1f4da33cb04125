#include "ft/msg/replay.h"

#include "base/status.h"
#include "ft/log/crossing.h"

#include <string.h>

/* A message that this role sends again from its log, or from what it has kept. */
struct resent {
	const void *payload;
	size_t bytes;
	int dst, tag;
	struct place place;
	bool kept; /* not from the log */
};

/* A duplicate of this role sends what is before its end. */
static bool lacks(const struct replay_case *x, const struct resent *m)
{
	const struct demand *demand = &x->ports->demand;

	if (place_before(m->place, x->end))
		return false;
	if (m->kept && x->ports->receiver && m->place.iter < demand->copies[m->dst])
		return false; /* it reads its own copy */
	return crossing(m->place.iter, x->my_front, demand->front[m->dst]) == CROSSING_REPLAYED ||
	       demand_is_needed(demand, m->place);
}

/* Message number i of the log and, behind it, of what was kept of the last iteration. */
static struct resent message(const struct replay_case *x, const struct kept_iteration *kept,
			     size_t i)
{
	const struct log *log = &x->ports->logging.log;

	if (i < log->count) {
		const struct log_entry *e = &log->entry[i];

		return (struct resent){
			e->payload, e->bytes, e->dst, e->tag, { log_iter(log, e), e->place }, false
		};
	} else {
		const struct kept_message *k = &kept->message[i - log->count];

		return (struct resent){ k->payload, k->bytes, k->dst, k->tag, k->place, true };
	}
}

/* The payload of an earlier message with the same receiver, tag and size that also differs; else
 * its own. */
static const void *stale_payload(const struct replay_case *x, const struct kept_iteration *kept,
				 size_t i)
{
	const struct resent m = message(x, kept, i);

	for (size_t k = 0; k < i; k++) {
		const struct resent other = message(x, kept, k);

		if (lacks(x, &other) && other.dst == m.dst && other.tag == m.tag &&
		    other.bytes == m.bytes && memcmp(other.payload, m.payload, m.bytes) != 0)
			return other.payload;
	}
	return m.payload;
}

int replay_begin(struct replay *y, struct link *link, const struct replay_case *x)
{
	const struct kept *all = ports_kept(x->ports);
	const struct kept_iteration *kept = all ? kept_of(all, x->my_front - 1) : NULL;
	size_t logged = x->ports->logging.log.count;
	size_t count = logged + (kept ? kept->count : 0), needed = 0, done = 0, largest = 0,
	       most = 0;

	y->messages = y->bytes = 0;
	y->kept = false;
	for (size_t i = 0; i < count; i++) {
		struct resent m = message(x, kept, i);

		if (!lacks(x, &m))
			continue;
		needed++;
		largest = m.bytes >= most ? i : largest;
		most = m.bytes >= most ? m.bytes : most;
	}
	for (size_t i = 0; i < count; i++) {
		struct resent m = message(x, kept, i);

		if (!lacks(x, &m))
			continue;
		if (++done == needed / 2 + 1 && needed > 1)
			x->half(x->ctx);
		if (x->stale && i == largest)
			m.payload = stale_payload(x, kept, i);
		RB_TRY(link_send(link, &y->requests, m.payload, m.bytes, m.dst, m.tag));
		y->kept = y->kept || i >= logged;
		if (x->rolled[m.dst]) {
			y->messages++;
			y->bytes += (int64_t)m.bytes;
		}
	}
	return RB_OK;
}

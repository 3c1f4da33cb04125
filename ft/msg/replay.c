#include "ft/msg/replay.h"

#include "ft/log/crossing.h"

static bool lacks(const struct log *log, const struct log_entry *e, const int64_t *front,
		  int64_t my_front)
{
	return crossing(log_iter(log, e), my_front, front[e->dst]) == CROSSING_REPLAYED;
}

int replay_begin(struct replay *y, struct link *link, const struct log *log, const int64_t *front,
		 int64_t my_front, const bool *rolled, void (*half)(void *ctx), void *ctx)
{
	size_t needed = 0, done = 0;

	y->messages = y->bytes = 0;
	for (size_t i = 0; i < log->count; i++)
		needed += lacks(log, &log->entry[i], front, my_front);
	for (size_t i = 0; i < log->count; i++) {
		const struct log_entry *e = &log->entry[i];

		if (!lacks(log, e, front, my_front))
			continue;
		if (++done == needed / 2 + 1 && needed > 1)
			half(ctx);
		RB_TRY(link_send(link, &y->requests, e->payload, e->bytes, e->dst, e->tag));
		if (rolled[e->dst]) {
			y->messages++;
			y->bytes += (int64_t)e->bytes;
		}
	}
	return RB_OK;
}

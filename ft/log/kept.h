/* ft/log/kept.h - the messages of the iteration under way and of the last complete one that the
 * sender does not log.
 *
 * With data-flow rollback (ft/recovery/cone.h), and for messages that their receivers keep
 * (ft/log/received.h). A failure can find one survivor an iteration ahead of another, which then
 * lacks messages that were lost with the communicator. Without rollback the sender cannot compute
 * them again: step() may have overwritten the buffer of the state before. So it keeps them for one
 * iteration more, in constant memory, where otherwise they would be scratch. A receiver that keeps
 * messages can lag behind in the same way; without this, its senders would roll back although
 * nobody has lost anything but the messages that were under way. */
#ifndef FT_LOG_KEPT_H
#define FT_LOG_KEPT_H

#include "ft/log/arena.h"
#include "ft/log/place.h"

struct kept_message {
	void *payload;
	size_t bytes;
	int32_t dst, tag;
	struct place place;
};

/* All zero: empty. Iteration i is of[i % 2]. */
struct kept {
	struct kept_iteration {
		int64_t iter;
		struct arena arena;
		struct kept_message *message;
		size_t count, room, bytes;
	} of[2];
	size_t bytes_peak; /* of one iteration */
};

void kept_free(struct kept *k);
/* Iteration iter begins, perhaps again. No request may refer to messages of iteration iter - 2 or
 * of an earlier attempt any more. */
void kept_begin(struct kept *k, int64_t iter);
/* Where to pack the message of this place; NULL: out of memory. */
void *kept_append(struct kept *k, struct place place, int dst, int tag, size_t bytes);
/* The hole of a channel (ft/log/log.h) that is left to its receiver, for a sender in iteration
 * `front` that has kept its last iteration. Any message of the iteration before that may be
 * missing. */
static inline int64_t kept_hole(int64_t hole, int64_t front)
{
	return hole == front - 1 ? front - 2 : hole;
}
/* Iteration iter, NULL: it is not there. */
const struct kept_iteration *kept_of(const struct kept *k, int64_t iter);

#endif

/* ft/log/kept.h - the messages of the iteration under way and of the last complete one that the policy does not log.
 *
 * Data-flow rollback only (ft/recovery/cone.h). A failure can find one survivor an iteration ahead of another, which then
 * lacks messages that were lost with the communicator. Without rollback the sender cannot compute them again: step() may
 * have overwritten the buffer of the state before. So it keeps them for one iteration more, in constant memory, where
 * otherwise they would be scratch. */
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
/* Iteration iter begins, perhaps again. No request may refer to messages of iteration iter - 2 or of an earlier attempt
 * any more. */
void kept_begin(struct kept *k, int64_t iter);
/* Where to pack the message of this place; NULL: out of memory. */
void *kept_append(struct kept *k, struct place place, int dst, int tag, size_t bytes);
/* Iteration iter, NULL: it is not there. */
const struct kept_iteration *kept_of(const struct kept *k, int64_t iter);

#endif

/* ft/log/crossing.h - which messages are sent, replayed or suppressed: computed from two fronts. */
#ifndef FT_LOG_CROSSING_H
#define FT_LOG_CROSSING_H

#include <stdint.h>

/* What becomes of a message of iteration iter, once its sender resumes in iteration `sender` and
 * its receiver in iteration `receiver` (Alg. 3 of the message-logging-kernels paper, for any
 * fronts). */
enum crossing {
	CROSSING_SENT, /* both are before it: the sender computes and sends it */
	/* in transit: the sender is past it, the receiver is not; it comes from the log */
	CROSSING_REPLAYED,
	/* the receiver has it: the sender computes it again and does not send it */
	CROSSING_SUPPRESSED,
	CROSSING_OVER, /* both are past it */
};

static inline enum crossing crossing(int64_t iter, int64_t sender, int64_t receiver)
{
	if (iter < receiver)
		return iter < sender ? CROSSING_OVER : CROSSING_SUPPRESSED;
	return iter < sender ? CROSSING_REPLAYED : CROSSING_SENT;
}

#endif

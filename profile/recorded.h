/* profile/recorded.h - a profile as a pattern: what was recorded of a program is forecast and
 * simulated like a kernel.
 *
 * A profile says how much is sent, not when. Either it is divided by the number of iterations that
 * the recorded run had: of the C messages of a channel, iteration i of N has those from floor(i C /
 * N) to floor((i + 1) C / N), and message k of the B bytes has those from floor(k B / C) to
 * floor((k + 1) B / C), so that all iterations together have what was recorded. Or each phase is an
 * iteration. Later iterations begin anew with the first. In an iteration a role posts its receives,
 * sends its messages and waits; with more than MSG_POST_MAX receives it posts and waits several
 * times. What a rank sent to itself is left out, and so are collectives. */
#ifndef PROFILE_RECORDED_H
#define PROFILE_RECORDED_H

#include "contract/pattern.h"
#include "profile/profile.h"

struct recorded {
	struct pattern pattern;
	int64_t iterations;          /* of the recorded run */
	bool by_phase;               /* each phase is an iteration */
	int32_t *phase;              /* iterations, if by_phase: in ascending order */
	struct profile_channel *out; /* channels, sorted by phase, source, destination */
	struct profile_channel *in;  /* the same, sorted by phase, destination, source */
	size_t channels;
};

/* Read a profile. np: how many ranks it must be of, 0: any number. iterations: "N": divide by N;
 * "N:P": the same with phase P alone; "phases": each phase is an iteration; NULL or "": as the
 * header says in `iterations`. RB_OK; RB_EIO, RB_EINVAL, RB_ENOMEM with a message. recorded_close()
 * in any case. */
int recorded_open(struct recorded *r, const char *path, int np, const char *iterations,
		  struct rb_error *err);
void recorded_close(struct recorded *r);

#endif

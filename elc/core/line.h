/* One recovery line at a time, as one process sees it (event-logging-checkpoint paper, Sect. 3.3.2,
 * closed by a two-phase commit).
 *
 * This is a state machine without MPI: the caller feeds it with events, and asks it what to do.
 *
 *   IDLE      no line is in progress here
 *   ASKED     another process has asked for the next line; this one cuts at its next safe point
 *   CUT       this process has its entry in the line, has sent its requests, and waits for those
 *             of the others and for payloads
 *   COMPLETE  its part is known. When it is in stable storage, rank 0 is told so; then only rank
 *             0's commit is missing
 *
 * The paper does not say how all processes learn that a line is complete: here rank 0 collects
 * "complete" from all (first phase), writes the commit, and announces it (second phase). No process
 * begins line i + 1 before it knows that line i is committed. So a request can be early by one line
 * at most; it is kept. Any process may begin a line, also several at once: they all begin the same
 * one, because its number follows from the last commit. */
#ifndef ELC_CORE_LINE_H
#define ELC_CORE_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum elc_phase { ELC_IDLE, ELC_ASKED, ELC_CUT, ELC_COMPLETE };

struct elc_line {
	int np, rank;
	enum elc_phase phase;
	int64_t committed; /* the last line that is committed; the next one has this number + 1 */
	/* Per rank: the newest line of which its request is here. */
	int64_t *requested;
	int requests; /* of line committed + 1, that of this process included */
	/* At rank 0. */
	int64_t *reported; /* per rank: the newest line that it has completed */
	int reports;       /* of line committed + 1 */
};

/* committed: 0 at the beginning, the line from which the processes restarted otherwise. Returns 0,
 * or -1 without memory. */
int elc_line_init(struct elc_line *l, int np, int rank, int64_t committed);
void elc_line_free(struct elc_line *l);

/* The number of the line in progress, or of the next one. */
static inline int64_t elc_line_number(const struct elc_line *l)
{
	return l->committed + 1;
}

/* May this process cut at a safe point: because it wants a line, or because it was asked for
 * one? */
static inline bool elc_line_may_begin(const struct elc_line *l)
{
	return l->phase == ELC_IDLE || l->phase == ELC_ASKED;
}

/* How often this process has cut, counted over restarts. */
static inline int64_t elc_line_epoch(const struct elc_line *l)
{
	return l->committed + (l->phase >= ELC_CUT);
}

static inline bool elc_line_due(const struct elc_line *l)
{
	return l->phase == ELC_ASKED;
}

/* Events. They return 0, or -1 if the event is impossible in this protocol, and then nothing has
 * changed. */
/* this process has cut; the requests are the caller's */
int elc_line_cut(struct elc_line *l);
/* the request of another process is here */
int elc_line_request(struct elc_line *l, int from, int64_t number);
/* all requests and all messages are here */
int elc_line_completed(struct elc_line *l);
/* rank 0: a process has completed */
int elc_line_report(struct elc_line *l, int from, int64_t number);
/* rank 0 has committed this line */
int elc_line_commit(struct elc_line *l, int64_t number);

/* Is the request of this process for the line in progress here? */
bool elc_line_has_request(const struct elc_line *l, int from);
/* Have all requested the line in progress? */
bool elc_line_all_requested(const struct elc_line *l);
/* At rank 0: have all completed the line in progress? */
bool elc_line_all_reported(const struct elc_line *l);

#endif

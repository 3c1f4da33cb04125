/* The state machine of a recovery line. */
#include "elc/core/line.h"

#include <stdlib.h>

int elc_line_init(struct elc_line *l, int np, int rank, int64_t committed)
{
	*l = (struct elc_line){ .np = np, .rank = rank, .phase = ELC_IDLE, .committed = committed };
	l->requested = calloc((size_t)np, sizeof *l->requested);
	l->reported = calloc((size_t)np, sizeof *l->reported);
	if (!l->requested || !l->reported) {
		elc_line_free(l);
		return -1;
	}
	for (int r = 0; r < np; r++)
		l->requested[r] = l->reported[r] = committed;
	return 0;
}

void elc_line_free(struct elc_line *l)
{
	free(l->requested);
	free(l->reported);
	l->requested = l->reported = NULL;
}

int elc_line_cut(struct elc_line *l)
{
	if (!elc_line_may_begin(l))
		return -1;
	l->requested[l->rank] = elc_line_number(l);
	l->requests++;
	l->phase = ELC_CUT;
	return 0;
}

int elc_line_request(struct elc_line *l, int from, int64_t number)
{
	const int64_t next = elc_line_number(l);
	/* A request is early if its sender knows of the commit of the line in progress, and this
	 * process does not. */
	const bool early = number == next + 1 && l->phase == ELC_COMPLETE;

	if (from < 0 || from >= l->np || from == l->rank || (number != next && !early) ||
	    l->requested[from] != number - 1)
		return -1;
	l->requested[from] = number;
	if (early)
		return 0;
	l->requests++;
	if (l->phase == ELC_IDLE)
		l->phase = ELC_ASKED;
	return 0;
}

bool elc_line_has_request(const struct elc_line *l, int from)
{
	return l->requested[from] >= elc_line_number(l);
}

bool elc_line_all_requested(const struct elc_line *l)
{
	return l->requests == l->np;
}

int elc_line_completed(struct elc_line *l)
{
	if (l->phase != ELC_CUT || !elc_line_all_requested(l))
		return -1;
	l->phase = ELC_COMPLETE;
	return 0;
}

int elc_line_report(struct elc_line *l, int from, int64_t number)
{
	if (l->rank != 0 || from < 0 || from >= l->np || number != elc_line_number(l) ||
	    l->reported[from] != number - 1)
		return -1;
	l->reported[from] = number;
	l->reports++;
	return 0;
}

bool elc_line_all_reported(const struct elc_line *l)
{
	return l->reports == l->np;
}

int elc_line_commit(struct elc_line *l, int64_t number)
{
	if (l->phase != ELC_COMPLETE || number != elc_line_number(l))
		return -1;
	l->committed = number;
	l->phase = ELC_IDLE;
	l->requests = l->reports = 0;
	for (int r = 0; r < l->np; r++)
		l->requests += l->requested[r] == number + 1;
	if (l->requests)
		l->phase = ELC_ASKED;
	return 0;
}

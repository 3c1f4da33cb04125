#include "harness/watts/recoveries.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int64_t last_epoch(const struct ledger *ledger, size_t np)
{
	int64_t last = 0;

	for (size_t r = 0; r < np; r++)
		for (int i = 0; i < ledger[r].event_count && i < LEDGER_EVENTS; i++)
			last = ledger[r].event[i].epoch > last ? ledger[r].event[i].epoch : last;
	return last;
}

/* The time from the first kill until the last survivor noticed a death; NaN: unknown. */
static double detection(const json_t *failures, int64_t epoch)
{
	double longest = NAN;
	json_t *failure;
	size_t i;

	json_array_foreach(failures, i, failure) {
		const json_t *s = json_object_get(failure, "detect_s");

		if (json_integer_value(json_object_get(failure, "epoch")) == epoch &&
		    json_is_number(s))
			longest = fmax(longest, json_number_value(s));
	}
	return longest;
}

static double begin_of(const json_t *failures, const struct ledger *ledger, size_t np,
		       int64_t epoch)
{
	double first = NAN, last = NAN, detect_s = detection(failures, epoch);

	for (size_t r = 0; r < np; r++) {
		const struct ledger_event *e = ledger_event_of(&ledger[r], epoch);

		if (!e || e->died || e->t_detect < 0)
			continue;
		first = fmin(first, e->t_detect);
		last = fmax(last, e->t_detect);
	}
	if (!isnan(detect_s))
		first = fmin(first, last - detect_s);
	return isnan(first) ? 0 : first;
}

/* When the role was where the others are again; -1: unknown. */
static double back(const struct ledger_event *e)
{
	double s = e->rolled_back ? e->catchup_s : e->wait_s;

	return e->t_resumed < 0 || s < 0 ? -1 : e->t_resumed + s;
}

static double end_of(const struct ledger *ledger, size_t np, int64_t epoch)
{
	double last = 0;

	for (size_t r = 0; r < np; r++) {
		const struct ledger_event *e = ledger_event_of(&ledger[r], epoch);

		if (!e || back(e) < 0)
			return 0;
		last = fmax(last, back(e));
	}
	return last;
}

struct recovery *recoveries_find(const json_t *failures, const struct ledger *ledger, size_t np,
				 size_t *count)
{
	int64_t last = last_epoch(ledger, np);
	struct recovery *list = last > 0 ? calloc((size_t)last, sizeof *list) : NULL, *open = NULL;

	*count = 0;
	for (int64_t epoch = 1; list && epoch <= last; epoch++) {
		double begin = begin_of(failures, ledger, np, epoch);

		/* else this failure came before the end of that recovery */
		if (!open || open->end > 0) {
			open = &list[(*count)++];
			*open = (struct recovery){ .epoch = epoch, .begin = begin };
		}
		open->end = end_of(ledger, np, epoch);
	}
	return list;
}

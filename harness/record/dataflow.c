#include "harness/record/dataflow.h"

#include "base/json.h"
#include "harness/options/spec.h"

#include <stddef.h>

/* Roles by the number of iterations that their duplicates had to commit. */
static json_t *roles_with(const struct ledger *ledger, int np, int64_t epoch, int64_t least,
			  int64_t most)
{
	json_t *list = json_array();

	for (int r = 0; r < np; r++) {
		const struct ledger_event *e = ledger_event_of(&ledger[r], epoch);

		if (e && e->supported >= least && e->supported <= most)
			json_array_append_new(list, json_integer(r));
	}
	return list;
}

/* null: the role takes no part. */
static json_t *distances(const struct ledger *ledger, int np, int64_t epoch)
{
	json_t *list = json_array();

	for (int r = 0; r < np; r++) {
		const struct ledger_event *e = ledger_event_of(&ledger[r], epoch);

		json_array_append_new(list, e && e->distance >= 0 ? json_integer(e->distance)
								  : json_null());
	}
	return list;
}

struct duplicates {
	json_int_t bytes, iterations;
	double slowest; /* seconds; -1: one was not measured */
};

static struct duplicates sum(const struct ledger *ledger, int np, int64_t epoch)
{
	struct duplicates d = { 0, 0, 0 };

	for (int r = 0; r < np; r++) {
		const struct ledger_event *e = ledger_event_of(&ledger[r], epoch);

		if (!e || e->supported < 0)
			continue;
		d.bytes += (json_int_t)e->duplicate_bytes;
		d.iterations += (json_int_t)e->supported;
		if (e->support_s < 0 || d.slowest < 0)
			d.slowest = -1;
		else if (e->support_s > d.slowest)
			d.slowest = e->support_s;
	}
	return d;
}

void dataflow_failure(json_t *failure, const struct ledger *ledger, int np, int64_t epoch)
{
	const struct ledger_event *any = NULL;
	struct duplicates d = sum(ledger, np, epoch);
	enum ft_recompute how;

	for (int r = 0; r < np && !any; r++)
		any = ledger_event_of(&ledger[r], epoch);
	how = any ? (enum ft_recompute)any->recompute : FT_ROLLBACK;
	json_object_set_new(failure, "recompute", json_string(spec_recompute(how)));
	if (!ft_is_dataflow(how))
		return;
	json_object_set_new(failure, "lost", json_integer((json_int_t)any->lost));
	json_object_set_new(failure, "supporting", roles_with(ledger, np, epoch, 1, INT64_MAX));
	json_object_set_new(failure, "sending", roles_with(ledger, np, epoch, 0, 0));
	json_object_set_new(failure, "distance", distances(ledger, np, epoch));
	json_object_set_new(failure, "supported", json_integer(d.iterations));
	json_object_set_new(failure, "duplicate_bytes", json_integer(d.bytes));
	json_object_set_new(failure, "support_s", seconds_json(d.slowest));
}

json_t *dataflow_memory(const struct ledger *ledger, int np)
{
	int64_t results = 0, kept = 0;

	for (int r = 0; r < np; r++) {
		results = ledger[r].results_peak > results ? ledger[r].results_peak : results;
		kept = ledger[r].kept_peak > kept ? ledger[r].kept_peak : kept;
	}
	return json_pack("{s:I, s:I}", "results_bytes", (json_int_t)results, "kept_bytes",
			 (json_int_t)kept);
}

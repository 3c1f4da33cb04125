#include "harness/failures.h"


static const struct ledger_event *event_of(const struct ledger *l, int64_t epoch)
{
	for (int i = 0; i < l->event_count && i < LEDGER_EVENTS; i++)
		if (l->event[i].epoch == epoch)
			return &l->event[i];
	return NULL;
}

static json_t *seconds(double s)
{
	return s < 0 ? json_null() : json_real(s);
}

enum who { ROLLED_BACK, SURVIVORS };

static bool counts(const struct ledger_event *e, enum who who)
{
	return who == ROLLED_BACK ? e->rolled_back : !e->died;
}

/* The times of a recovery, by name. */
typedef double event_time(const struct ledger_event *e);

static double t_detect(const struct ledger_event *e)
{
	return e->t_detect;
}

static double repair_s(const struct ledger_event *e)
{
	return e->repair_s;
}

static double restore_s(const struct ledger_event *e)
{
	return e->restore_s;
}

static double replay_s(const struct ledger_event *e)
{
	return e->replay_s;
}

static double catchup_s(const struct ledger_event *e)
{
	return e->catchup_s;
}

/* The largest figure over the roles it is defined for. One that was never measured (its process
 * died first, or the recovery was overtaken by the next failure) makes the whole unknown. */
static double longest(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch,
		      event_time *time_of, enum who who)
{
	double most = -1;

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);
		double value;

		if (!e || !counts(e, who))
			continue;
		value = time_of(e);
		if (value < 0)
			return -1;
		most = value > most ? value : most;
	}
	return most;
}

static json_t *rollback_set(const struct run_spec *spec, const struct ledger *ledger,
			    int64_t epoch)
{
	json_t *set = json_array();

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);

		if (e && e->rolled_back)
			json_array_append_new(set, json_integer(r));
	}
	return set;
}

/* The kill behind the `nth` death (from 0) of a role: its fired kills in order of time. */
static const struct inject_kill *kill_behind(const struct run_spec *spec, const char *dir, int role,
					     int nth, double *when)
{
	double after = -1;

	for (;; nth--) {
		const struct inject_kill *first = NULL;
		double t, first_t = 0;
		int64_t iter;

		for (size_t k = 0; k < spec->plan.count; k++) {
			if (spec->plan.kill[k].role != role || !inject_fired(dir, k, &t, &iter) ||
			    t <= after || (first && t >= first_t))
				continue;
			first = &spec->plan.kill[k];
			first_t = t;
		}
		if (!first || nth == 0) {
			*when = first_t;
			return first;
		}
		after = first_t;
	}
}

/* From the kill until the last survivor knew. */
static double detection(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch,
			double when)
{
	double last = longest(spec, ledger, epoch, t_detect, SURVIVORS);

	return last < when ? -1 : last - when;
}

static json_t *failure(const struct run_spec *spec, const char *dir, const struct ledger *ledger,
		       int role, const struct ledger_event *e, int nth)
{
	double when = 0;
	const struct inject_kill *kill = kill_behind(spec, dir, role, nth, &when);

	return json_pack("{s:i, s:I, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "role", role,
			 "iteration", (json_int_t)e->front_before, "phase",
			 kill ? inject_phase_name(kill->phase) : "unplanned", "epoch",
			 (json_int_t)e->epoch, "checkpoint", (json_int_t)e->restart,
			 "rollback_set", rollback_set(spec, ledger, e->epoch), "detect_s",
			 kill ? seconds(detection(spec, ledger, e->epoch, when)) : json_null(),
			 "repair_s", seconds(longest(spec, ledger, e->epoch, repair_s, SURVIVORS)),
			 "restore_s", seconds(longest(spec, ledger, e->epoch, restore_s, ROLLED_BACK)),
			 "replay_s", seconds(longest(spec, ledger, e->epoch, replay_s, SURVIVORS)),
			 "catchup_s", seconds(longest(spec, ledger, e->epoch, catchup_s, ROLLED_BACK)));
}

json_t *failures_json(const struct run_spec *spec, const char *dir, const struct ledger *ledger)
{
	json_t *failures = json_array();
	int64_t last = 0;

	for (int r = 0; r < spec->np; r++)
		for (int i = 0; i < ledger[r].event_count && i < LEDGER_EVENTS; i++)
			last = ledger[r].event[i].epoch > last ? ledger[r].event[i].epoch : last;
	for (int64_t epoch = 1; epoch <= last; epoch++) {
		for (int r = 0; r < spec->np; r++) {
			const struct ledger_event *e = event_of(&ledger[r], epoch);
			int nth = 0;

			if (!e || !e->died)
				continue;
			for (const struct ledger_event *p = ledger[r].event; p < e; p++)
				nth += p->died;
			json_array_append_new(failures, failure(spec, dir, ledger, r, e, nth));
		}
	}
	return failures;
}

json_t *unfired_json(const struct run_spec *spec, const char *dir)
{
	json_t *unfired = json_array();
	char text[SPEC_TEXT];
	int64_t iter;
	double when;

	for (size_t k = 0; k < spec->plan.count; k++) {
		if (inject_fired(dir, k, &when, &iter))
			continue;
		inject_format(&spec->plan.kill[k], text, sizeof text);
		json_array_append_new(unfired, json_string(text));
	}
	return unfired;
}

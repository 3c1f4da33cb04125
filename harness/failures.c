#include "harness/failures.h"

#include "inject/strike.h"

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

static double shrink_s(const struct ledger_event *e)
{
	return e->shrink_s;
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

static double wait_s(const struct ledger_event *e)
{
	return e->wait_s;
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

/* What part a role has in a recovery (power-log-n-roll paper, Sect. 3.1). */
enum part { RESTARTED, ACTIVE, BLOCKED };

static enum part part_of(const struct ledger_event *e)
{
	return e->rolled_back ? RESTARTED : e->replayed > 0 ? ACTIVE : BLOCKED;
}

static json_t *roles_with(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch,
			  enum part part)
{
	json_t *set = json_array();

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);

		if (e && part_of(e) == part)
			json_array_append_new(set, json_integer(r));
	}
	return set;
}

/* Where the failure found each role; null if that was never written. */
static json_t *fronts(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch)
{
	json_t *list = json_array();

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);

		json_array_append_new(list, e ? json_integer((json_int_t)e->front_before) :
						json_null());
	}
	return list;
}

static json_int_t replayed_bytes(const struct run_spec *spec, const struct ledger *ledger,
				 int64_t epoch)
{
	json_int_t sum = 0;

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);

		sum += e ? e->replayed_bytes : 0;
	}
	return sum;
}

static bool hit(const struct inject_mark *mark, int role)
{
	for (int i = 0; i < mark->count && i < MARK_VICTIMS; i++)
		if (mark->victim[i] == role)
			return true;
	return false;
}

/* The next strike that hit a role after a given time, planned or by chance. */
static bool next_strike(const struct run_spec *spec, const char *dir, const struct ledger *ledger,
			int role, double after, struct inject_mark *next)
{
	struct inject_mark mark;
	bool found = false;

	for (size_t k = 0; k < spec->plan.count; k++) {
		if (!inject_fired(dir, k, &mark) || !hit(&mark, role) || mark.when <= after ||
		    (found && mark.when >= next->when))
			continue;
		*next = mark;
		found = true;
	}
	for (int nth = 1; nth <= ledger[role].incarnations; nth++) {
		if (!inject_chance_fired(dir, role, nth, &mark) || mark.when <= after ||
		    (found && mark.when >= next->when))
			continue;
		*next = mark;
		found = true;
	}
	return found;
}

/* The strike behind the nth death (from 0) of a role. */
static bool strike_behind(const struct run_spec *spec, const char *dir, const struct ledger *ledger,
			  int role, int nth, struct inject_mark *mark)
{
	double after = -1;

	for (;; nth--) {
		if (!next_strike(spec, dir, ledger, role, after, mark))
			return false;
		if (nth == 0)
			return true;
		after = mark->when;
	}
}

/* From the kill until the last survivor knew. */
static double detection(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch,
			double when)
{
	double last = longest(spec, ledger, epoch, t_detect, SURVIVORS);

	return last < when ? -1 : last - when;
}

/* How often a role came to a point of an iteration before event e: it went from where it had
 * restarted to where the next failure found it, again and again. */
static int passes(const struct ledger *l, const struct ledger_event *e,
		  const struct inject_mark *mark)
{
	int64_t from = 0;
	int count = 0;

	if (mark->phase != INJECT_OPERATION && mark->phase != INJECT_START)
		return 0;
	for (const struct ledger_event *p = l->event; p < e; p++) {
		count += from <= mark->iter &&
			 (mark->iter < p->front_before ||
			  (mark->iter == p->front_before && mark->amount <= p->ops_before));
		from = p->restart;
	}
	return count;
}

/* The text that --kill would understand. */
static json_t *as_kill(const struct ledger *l, const struct ledger_event *e,
		       const struct inject_mark *mark)
{
	struct inject_kill kill = { INJECT_ROLE, l->role, mark->iter,
				    (enum inject_phase)mark->phase, mark->amount,
				    1 + passes(l, e, mark) };
	char text[INJECT_TEXT];

	inject_format(&kill, text, sizeof text);
	return json_string(text);
}

/* When the last survivor was ready to go on: from the kill to the new communicators. */
static double resumption(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch,
			 double when)
{
	double last = -1;

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);

		if (!e || e->died)
			continue;
		if (e->t_detect < when || e->repair_s < 0)
			return -1;
		if (e->t_detect + e->repair_s > last)
			last = e->t_detect + e->repair_s;
	}
	return last < when ? -1 : last - when;
}

/* Job restart: from the kill until the last role of the new job had its state. */
static double restart(const struct run_spec *spec, const struct ledger *ledger, int64_t epoch,
		      double when)
{
	double last = -1;

	for (int r = 0; r < spec->np; r++) {
		const struct ledger_event *e = event_of(&ledger[r], epoch);

		if (e && e->t_resumed > last)
			last = e->t_resumed;
	}
	return last < when ? -1 : last - when;
}

static json_t *failure(const struct run_spec *spec, const char *dir, const struct ledger *ledger,
		       int role, const struct ledger_event *e, int nth)
{
	struct inject_mark mark;
	bool ours = strike_behind(spec, dir, ledger, role, nth, &mark);
	json_t *json = json_pack(
		"{s:i, s:I, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:i, s:o, s:I, s:s}", "role", role,
		"iteration", (json_int_t)e->front_before, "phase",
		ours ? inject_phase_name((enum inject_phase)mark.phase) : "unplanned", "kill",
		ours ? as_kill(&ledger[role], e, &mark) : json_null(), "epoch", (json_int_t)e->epoch, "checkpoint",
		(json_int_t)e->restart, "rollback_set", roles_with(spec, ledger, e->epoch, RESTARTED),
		"active", roles_with(spec, ledger, e->epoch, ACTIVE), "blocked",
		roles_with(spec, ledger, e->epoch, BLOCKED), "chain", e->chain, "fronts",
		fronts(spec, ledger, e->epoch), "replayed_bytes",
		replayed_bytes(spec, ledger, e->epoch), "replaced_by",
		e->restarted ? "restart" : e->spawned ? "spawn" : "spare");

	json_object_set_new(json, "detect_s", ours ? seconds(detection(spec, ledger, e->epoch,
								       mark.when)) : json_null());
	json_object_set_new(json, "shrink_s",
			    seconds(longest(spec, ledger, e->epoch, shrink_s, SURVIVORS)));
	json_object_set_new(json, "repair_s",
			    seconds(longest(spec, ledger, e->epoch, repair_s, SURVIVORS)));
	json_object_set_new(json, "resume_s", ours ? seconds(resumption(spec, ledger, e->epoch,
								       mark.when)) : json_null());
	json_object_set_new(json, "restart_s", ours && e->restarted ?
			    seconds(restart(spec, ledger, e->epoch, mark.when)) : json_null());
	json_object_set_new(json, "restore_s",
			    seconds(longest(spec, ledger, e->epoch, restore_s, ROLLED_BACK)));
	json_object_set_new(json, "replay_s",
			    seconds(longest(spec, ledger, e->epoch, replay_s, SURVIVORS)));
	json_object_set_new(json, "catchup_s",
			    seconds(longest(spec, ledger, e->epoch, catchup_s, ROLLED_BACK)));
	json_object_set_new(json, "wait_s",
			    seconds(longest(spec, ledger, e->epoch, wait_s, SURVIVORS)));
	return json;
}

/* Whether a role's process was struck between its last resumption and this one. */
static bool struck(const struct run_spec *spec, const char *dir, const struct ledger *ledger,
		   int role, const struct ledger_event *e)
{
	double after = e > ledger[role].event ? e[-1].t_resumed : -1;
	struct inject_mark mark;

	return next_strike(spec, dir, ledger, role, after, &mark) && mark.when < e->t_resumed;
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
				nth += p->died && (!p->restarted || struck(spec, dir, ledger, r, p));
			if (e->restarted && !struck(spec, dir, ledger, r, e))
				continue; /* ended with the job, not by itself */
			json_array_append_new(failures, failure(spec, dir, ledger, r, e, nth));
		}
	}
	return failures;
}

json_t *unfired_json(const struct run_spec *spec, const char *dir)
{
	json_t *unfired = json_array();
	struct inject_mark mark;
	char text[INJECT_TEXT];

	for (size_t k = 0; k < spec->plan.count; k++) {
		if (inject_fired(dir, k, &mark))
			continue;
		inject_format(&spec->plan.kill[k], text, sizeof text);
		json_array_append_new(unfired, json_string(text));
	}
	return unfired;
}

json_t *switched_off_json(const struct run_spec *spec, const struct ledger *ledger)
{
	json_t *list = json_array();

	for (int r = 0; r < spec->np; r++)
		for (int64_t i = 0; i < ledger[r].drop_count && i < LEDGER_DROPS; i++)
			json_array_append_new(
				list, json_pack("{s:i, s:i, s:I, s:I}", "from", r, "to",
						ledger[r].drop[i].dst, "iteration",
						(json_int_t)ledger[r].drop[i].iter, "bytes",
						(json_int_t)ledger[r].drop[i].bytes));
	return list;
}

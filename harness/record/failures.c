#include "harness/record/failures.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/record/dataflow.h"
#include "harness/record/kills.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The data from which the failures are derived. */
struct history {
	int np;
	bool dataflow;               /* asked for */
	const struct ledger *ledger; /* np */
	struct kills kills;
};

static const struct ledger_event *event_of(const struct history *h, int role, int64_t epoch)
{
	return ledger_event_of(&h->ledger[role], epoch);
}

enum who { ROLLED_BACK, SURVIVORS };

static bool counts(const struct ledger_event *e, enum who who)
{
	return who == ROLLED_BACK ? e->rolled_back : !e->died;
}

static double value_at(const struct ledger_event *e, size_t place)
{
	double value;

	memcpy(&value, (const char *)e + place, sizeof value);
	return value;
}

/* The largest value over the roles for which it is defined. If one was not measured (its process
 * died before, or the next failure came during the recovery), the whole is unknown. place: of the
 * value within its event. */
static double longest(const struct history *h, int64_t epoch, size_t place, enum who who)
{
	double most = -1;

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);

		if (!e || !counts(e, who))
			continue;
		if (value_at(e, place) < 0)
			return -1;
		most = fmax(most, value_at(e, place));
	}
	return most;
}

/* When a role reached a point, after a failure at `when`; 0: the role does not count; -1:
 * unknown. */
typedef double moment(const struct ledger_event *e, double when);

/* The role knew of the failure. */
static double detected(const struct ledger_event *e, double when)
{
	(void)when;
	return e->died ? 0 : e->t_detect;
}

/* The role was ready to go on: it had the new communicator. */
static double repaired(const struct ledger_event *e, double when)
{
	if (e->died)
		return 0;
	return e->t_detect < when || e->repair_s < 0 ? -1 : e->t_detect + e->repair_s;
}

/* The role had its state, or was ready to go on with the one that it has kept. */
static double restored(const struct ledger_event *e, double when)
{
	return (e->rolled_back && e->restore_s < 0) || e->t_resumed < when ? -1 : e->t_resumed;
}

/* The time from the kill until the last role reached that point. */
static double from_kill(const struct history *h, int64_t epoch, moment *there, double when)
{
	double last = 0;

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);
		double t = e ? there(e, when) : 0;

		if (t < 0)
			return -1;
		last = t > last ? t : last;
	}
	return last < when ? -1 : last - when;
}

/* Does this recovery continue the one before? It does if no role died, but roles went back. */
static bool goes_on(const struct history *h, int64_t epoch)
{
	bool back = false;

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);

		if (e && e->died)
			return false;
		back = back || (e && e->rolled_back);
	}
	return back;
}

/* The last epoch of the recovery that began in that one. */
static int64_t settled(const struct history *h, int64_t epoch)
{
	while (goes_on(h, epoch + 1))
		epoch++;
	return epoch;
}

#define PLACE(member) offsetof(struct ledger_event, member)

/* The times of a recovery, in the order of the record. */
static const struct figure {
	const char *key;
	/* the end of a time that begins with the kill; NULL: the longest of the values in the
	 * events */
	moment *there;
	size_t place;
	enum who who;
	/* at the end of the recovery, if roles went back once more without a death */
	bool settled;
} figures[] = {
	{ "detect_s", .there = detected },
	{ "shrink_s", .place = PLACE(shrink_s), .who = SURVIVORS },
	{ "repair_s", .place = PLACE(repair_s), .who = SURVIVORS },
	{ "resume_s", .there = repaired },
	{ "restored_s", .there = restored, .settled = true },
	{ "restore_s", .place = PLACE(restore_s), .who = ROLLED_BACK },
	{ "replay_s", .place = PLACE(replay_s), .who = SURVIVORS },
	{ "catchup_s", .place = PLACE(catchup_s), .who = ROLLED_BACK },
	{ "wait_s", .place = PLACE(wait_s), .who = SURVIVORS },
};

/* kill: the kill that caused e; NULL if Rollbench did not cause it, so that its time is unknown. */
static double figure(const struct figure *f, const struct history *h, const struct ledger_event *e,
		     const struct kill *kill)
{
	if (!f->there)
		return longest(h, e->epoch, f->place, f->who);
	if (!kill)
		return -1;
	return from_kill(h, f->settled ? settled(h, e->epoch) : e->epoch, f->there, kill->when);
}

/* The part of a role in a recovery (power-log-n-roll paper, Sect. 3.1; data-flow-rollback paper,
 * Sect. 2.2). */
enum part { RESTARTED, SUPPORTING, ACTIVE, BLOCKED };

static enum part part_of(const struct ledger_event *e)
{
	return e->rolled_back                                      ? RESTARTED
	       : ft_is_dataflow(e->recompute) && e->supported >= 0 ? SUPPORTING
	       : e->replayed > 0                                   ? ACTIVE
								   : BLOCKED;
}

/* The part in a recovery of these epochs: a role that goes back in one of them is restarted. */
static json_t *roles_with(const struct history *h, int64_t epoch, int64_t last, enum part part)
{
	json_t *set = json_array();

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = NULL;

		for (int64_t i = epoch; i <= last && !(e && e->rolled_back); i++)
			e = event_of(h, r, i) ? event_of(h, r, i) : e;
		if (e && part_of(e) == part)
			json_array_append_new(set, json_integer(r));
	}
	return set;
}

/* The iteration in which the failure found each role; null if it was never written. */
static json_t *fronts(const struct history *h, int64_t epoch)
{
	json_t *list = json_array();

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);

		json_array_append_new(list,
				      e ? json_integer((json_int_t)e->front_before) : json_null());
	}
	return list;
}

static json_int_t replayed_bytes(const struct history *h, int64_t epoch)
{
	json_int_t sum = 0;

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);

		sum += e ? e->replayed_bytes : 0;
	}
	return sum;
}

/* How often a role reached a point of an iteration before event e. Each time it went from where it
 * had restarted to where the next failure found it. */
static int passes(const struct ledger *l, const struct ledger_event *e, const struct kill *kill)
{
	int64_t from = 0;
	int count = 0;

	if (kill->phase != INJECT_OPERATION && kill->phase != INJECT_START)
		return 0;
	for (const struct ledger_event *p = l->event; p < e; p++) {
		count += from <= kill->iter &&
			 (kill->iter < p->front_before ||
			  (kill->iter == p->front_before && kill->amount <= p->ops_before));
		from = p->restart;
	}
	return count;
}

/* The text with which --kill repeats the death. */
static json_t *as_kill(const struct ledger *l, const struct ledger_event *e,
		       const struct kill *kill)
{
	struct inject_kill again = { INJECT_ROLE,  l->role,
				     kill->iter,   (enum inject_phase)kill->phase,
				     kill->amount, 1 + passes(l, e, kill) };
	char text[INJECT_TEXT];

	inject_format(&again, text, sizeof text);
	return json_string(text);
}

/* The first value but 0 that a number has in the events of that recovery and of the later ones that
 * interrupted it; 0: there is none. place: of the number within its event. */
static int32_t first_noted(const struct ledger *l, int64_t epoch, size_t place)
{
	for (int32_t i = 0; i < l->event_count && i < LEDGER_EVENTS; i++) {
		const int32_t *noted = (const void *)((const char *)&l->event[i] + place);

		if (l->event[i].epoch >= epoch && *noted != 0)
			return *noted;
	}
	return 0;
}

static void enter_role(json_t *groups, const char *name, int role)
{
	if (!json_object_get(groups, name))
		json_object_set_new(groups, name, json_array());
	json_array_append_new(json_object_get(groups, name), json_integer(role));
}

/* The replaced roles: {"kept": [2]}; NULL: the kernel has no constants. */
static json_t *constants_from(const struct history *h, int64_t epoch)
{
	json_t *groups = json_object();

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);
		enum ledger_constants from =
			(enum ledger_constants)first_noted(&h->ledger[r], epoch, PLACE(constants));

		if (e && e->died && from != CONSTANTS_NONE)
			enter_role(groups, ledger_constants_name(from), r);
	}
	if (json_object_size(groups) > 0)
		return groups;
	json_decref(groups);
	return NULL;
}

/* The rollback set by source: {"own": [0, 1], "buddy": [2]}. */
static json_t *restored_from(const struct history *h, int64_t epoch)
{
	json_t *levels = json_object();

	epoch = settled(h, epoch);
	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);
		enum level_source source =
			(enum level_source)first_noted(&h->ledger[r], epoch, PLACE(source));

		if (e && e->rolled_back && source != FROM_NOWHERE)
			enter_role(levels, level_source_name(source), r);
	}
	return levels;
}

/* How long the blocked roles waited for their first iteration, or what CPU time this took: summed,
 * or null if one of them was not measured. place: of the value within its event. */
static json_t *blocked(const struct history *h, int64_t epoch, size_t place)
{
	double sum = 0;

	for (int r = 0; r < h->np; r++) {
		const struct ledger_event *e = event_of(h, r, epoch);

		if (!e || part_of(e) != BLOCKED)
			continue;
		if (value_at(e, place) < 0)
			return json_null();
		sum += value_at(e, place);
	}
	return json_real(sum);
}

static json_t *failure(const struct history *h, int role, const struct ledger_event *e, int nth)
{
	const struct kill *kill = kills_behind(&h->kills, role, nth);
	int64_t last = h->dataflow ? settled(h, e->epoch) : e->epoch;
	bool planned = kill && kill->phase < KILL_OUTSIDE;
	json_t *json = json_pack(
		"{s:i, s:I, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:i, s:o, s:I, s:s}", "role", role,
		"iteration", (json_int_t)e->front_before, "phase",
		planned ? inject_phase_name((enum inject_phase)kill->phase) : "unplanned", "kill",
		planned ? as_kill(&h->ledger[role], e, kill) : json_null(), "epoch",
		(json_int_t)e->epoch, "checkpoint", (json_int_t)e->restart, "rollback_set",
		roles_with(h, e->epoch, last, RESTARTED), "active",
		roles_with(h, e->epoch, last, ACTIVE), "blocked",
		roles_with(h, e->epoch, last, BLOCKED), "chain", e->chain, "fronts",
		fronts(h, e->epoch), "replayed_bytes", replayed_bytes(h, e->epoch), "replaced_by",
		e->restarted ? "restart"
		: e->spawned ? "spawn"
			     : "spare");

	json_object_set_new(json, "blocked_wait_s", blocked(h, e->epoch, PLACE(wait_s)));
	json_object_set_new(json, "blocked_cpu_s", blocked(h, e->epoch, PLACE(wait_cpu_s)));
	json_object_set_new(json, "restored_from", restored_from(h, e->epoch));
	/* if the kernel has any */
	json_object_set_new(json, "constants_from", constants_from(h, e->epoch));
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		json_object_set_new(json, figures[i].key,
				    seconds_json(figure(&figures[i], h, e, kill)));
	if (h->dataflow)
		dataflow_failure(json, h->ledger, h->np, last);
	return json;
}

/* Did the process of a role die in e on its own? A new job replaces all processes of the old one.
 * Those that were not killed since they last resumed only ended with their job. */
static bool died_alone(const struct history *h, int role, const struct ledger_event *e)
{
	double after = e > h->ledger[role].event ? e[-1].t_resumed : -1;
	const struct kill *kill;

	if (!e->died || !e->restarted)
		return e->died;
	kill = kills_next(&h->kills, role, after);
	return kill && kill->when < e->t_resumed;
}

static int deaths_before(const struct history *h, int role, const struct ledger_event *e)
{
	int deaths = 0;

	for (const struct ledger_event *p = h->ledger[role].event; p < e; p++)
		deaths += died_alone(h, role, p);
	return deaths;
}

static int64_t last_epoch(const struct history *h)
{
	int64_t last = 0;

	for (int r = 0; r < h->np; r++)
		for (int i = 0; i < h->ledger[r].event_count && i < LEDGER_EVENTS; i++)
			if (h->ledger[r].event[i].epoch > last)
				last = h->ledger[r].event[i].epoch;
	return last;
}

static json_t *tell(const struct history *h)
{
	const int64_t last = last_epoch(h);
	json_t *failures = json_array();

	for (int64_t epoch = 1; epoch <= last; epoch++)
		for (int r = 0; r < h->np; r++) {
			const struct ledger_event *e = event_of(h, r, epoch);

			if (e && died_alone(h, r, e))
				json_array_append_new(failures,
						      failure(h, r, e, deaths_before(h, r, e)));
		}
	return failures;
}

json_t *failures_json(const struct run_spec *spec, const json_t *events,
		      const struct ledger *ledger)
{
	struct history h = { .np = spec->np,
			     .dataflow = ft_is_dataflow(spec->recompute),
			     .ledger = ledger };
	json_t *failures = NULL;

	if (kills_read(&h.kills, events) == RB_OK)
		failures = tell(&h);
	kills_free(&h.kills);
	return failures;
}

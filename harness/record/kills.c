#include "harness/record/kills.h"

#include "base/status.h"

#include <stdlib.h>

static int add(struct kills *s, int role, const struct inject_mark *mark)
{
	struct kill *list = realloc(s->list, (s->count + 1) * sizeof *list);

	if (!list)
		return RB_ENOMEM;
	list[s->count++] = (struct kill){ role, *mark };
	s->list = list;
	return RB_OK;
}

static int add_outside(struct kills *s, const char *dir)
{
	struct outside_mark outside[OUTSIDE_MAX];
	size_t count = outside_read(dir, outside);

	for (size_t k = 0; k < count; k++) {
		const struct inject_mark mark = { .when = outside[k].when,
						  .iter = outside[k].front,
						  .phase = KILL_OUTSIDE };

		if (outside[k].pid && outside[k].role >= 0)
			RB_TRY(add(s, outside[k].role, &mark));
		else if (!outside[k].kill.startup) /* a job that lost processes at its start is
						      started again with all */
			s->spares += outside[k].pid != 0;
	}
	return RB_OK;
}

static json_t *number_or_null(int64_t number)
{
	return number < 0 ? json_null() : json_integer((json_int_t)number);
}

static json_t *mark_json(const struct outside_mark *m)
{
	char text[INJECT_TEXT];

	outside_format(&m->kill, text, sizeof text);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kill", text, "pid",
			 m->pid ? json_integer(m->pid) : json_null(), "role",
			 number_or_null(m->role), "spare", number_or_null(m->spare), "loop_s",
			 m->loop_s < 0 ? json_null() : json_real(m->loop_s), "phase",
			 m->phase < 0 ? json_null()
				      : json_string(ledger_phase_name((enum ledger_phase)m->phase)),
			 "iteration", number_or_null(m->front));
}

void kills_record(json_t *record, const char *dir)
{
	struct outside_mark outside[OUTSIDE_MAX];
	size_t count = outside_read(dir, outside);
	json_t *list = json_array();

	for (size_t k = 0; k < count; k++)
		json_array_append_new(list, mark_json(&outside[k]));
	if (count > 0)
		json_object_set(record, "killed_from_outside", list);
	json_decref(list);
}

int kills_read(struct kills *s, const struct run_spec *spec, const char *dir,
	       const struct ledger *ledger)
{
	struct inject_mark mark;

	*s = (struct kills){ .list = NULL };
	for (size_t k = 0; k < spec->plan.count; k++)
		if (inject_fired(dir, k, &mark)) {
			RB_TRY(add(s, -1, &mark));
			for (int v = 0; v < mark.count && v < MARK_VICTIMS; v++)
				s->spares += mark.victim[v] < 0;
		}
	for (int r = 0; r < spec->np; r++)
		for (int nth = 1; nth <= ledger[r].incarnations; nth++)
			if (inject_chance_fired(dir, r, nth, &mark))
				RB_TRY(add(s, r, &mark));
	return add_outside(s, dir);
}

void kills_free(struct kills *s)
{
	free(s->list);
}

static bool hit(const struct kill *kill, int role)
{
	const struct inject_mark *mark = &kill->mark;

	if (kill->role >= 0)
		return kill->role == role;
	for (int i = 0; i < mark->count && i < MARK_VICTIMS; i++)
		if (mark->victim[i] == role)
			return true;
	return false;
}

const struct inject_mark *kills_next(const struct kills *s, int role, double after)
{
	const struct inject_mark *next = NULL;

	for (size_t i = 0; i < s->count; i++) {
		const struct inject_mark *mark = &s->list[i].mark;

		if (hit(&s->list[i], role) && mark->when > after &&
		    (!next || mark->when < next->when))
			next = mark;
	}
	return next;
}

const struct inject_mark *kills_behind(const struct kills *s, int role, int nth)
{
	const struct inject_mark *mark = kills_next(s, role, -1);

	for (; mark && nth > 0; nth--)
		mark = kills_next(s, role, mark->when);
	return mark;
}

#include "harness/record/strikes.h"

#include "base/status.h"

#include <stdlib.h>

static int add(struct strikes *s, int role, const struct inject_mark *mark)
{
	struct strike *list = realloc(s->list, (s->count + 1) * sizeof *list);

	if (!list)
		return RB_ENOMEM;
	list[s->count++] = (struct strike){ role, *mark };
	s->list = list;
	return RB_OK;
}

int strikes_read(struct strikes *s, const struct run_spec *spec, const char *dir,
		 const struct ledger *ledger)
{
	struct inject_mark mark;

	*s = (struct strikes){ 0, NULL };
	for (size_t k = 0; k < spec->plan.count; k++)
		if (inject_fired(dir, k, &mark))
			RB_TRY(add(s, -1, &mark));
	for (int r = 0; r < spec->np; r++)
		for (int nth = 1; nth <= ledger[r].incarnations; nth++)
			if (inject_chance_fired(dir, r, nth, &mark))
				RB_TRY(add(s, r, &mark));
	return RB_OK;
}

void strikes_free(struct strikes *s)
{
	free(s->list);
}

static bool hit(const struct strike *strike, int role)
{
	const struct inject_mark *mark = &strike->mark;

	if (strike->role >= 0)
		return strike->role == role;
	for (int i = 0; i < mark->count && i < MARK_VICTIMS; i++)
		if (mark->victim[i] == role)
			return true;
	return false;
}

const struct inject_mark *strikes_next(const struct strikes *s, int role, double after)
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

const struct inject_mark *strikes_behind(const struct strikes *s, int role, int nth)
{
	const struct inject_mark *mark = strikes_next(s, role, -1);

	for (; mark && nth > 0; nth--)
		mark = strikes_next(s, role, mark->when);
	return mark;
}

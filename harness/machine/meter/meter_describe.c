/* Descriptions of the meters in words. */
#include "harness/machine/meter/meter_inside.h"

#include <stdarg.h>
#include <stdio.h>

struct page {
	struct meter_line *line;
	int used, max;
};

static void say(struct page *p, enum meter_state state, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void say(struct page *p, enum meter_state state, const char *what, const char *fmt, ...)
{
	struct meter_line *line = &p->line[p->used];
	va_list args;

	if (p->used == p->max)
		return;
	line->state = state;
	snprintf(line->what, sizeof line->what, "%s", what);
	va_start(args, fmt);
	vsnprintf(line->text, sizeof line->text, fmt, args);
	va_end(args);
	p->used++;
}

static void say_counter(struct page *p, const struct meter_counter *c)
{
	char owner[32] = "machine";

	if (c->package != METER_ALL)
		snprintf(owner, sizeof owner, "package %d", c->package);
	say(p, c->why[0] ? METER_ABSENT : METER_OK, "energy", "%s: %s %s%s%.160s", owner,
	    meter_domain_name(c->domain), c->where, c->why[0] ? ": " : "", c->why);
}

/* A domain that the processor does not count cannot be repaired, but it has to be reported. */
static void say_missing(struct page *p, const struct meter *m)
{
	for (int d = 0; d < METER_DOMAINS; d++) {
		bool any = false;

		for (int i = 0; i < m->counters; i++)
			any = any || (int)m->counter[i].domain == d;
		if (!any)
			say(p, METER_ABSENT, "energy", "%s: %s has no such counter here",
			    meter_domain_name((enum meter_domain)d), m->source->name);
	}
}

int meter_describe(const struct meter *m, struct meter_line *out, int max)
{
	static const char *const counts[] = { "cycles", "instr" };
	struct page p = { out, 0, max };

	say(&p, METER_OK, "cpu time", "clock_gettime and getrusage, all threads of a process");
	for (int i = 0; i < 2; i++) {
		if (m->at[i] >= 0)
			say(&p, METER_OK, counts[i], "PAPI event %s, in user mode",
			    m->count_name[i]);
		else
			say(&p, METER_ABSENT, counts[i], "%s", m->count_why[i]);
	}
	for (int i = 0; i < m->notes; i++)
		say(&p, m->note[i].state, m->note[i].what, "%s", m->note[i].text);
	for (int i = 0; i < m->counters; i++)
		say_counter(&p, &m->counter[i]);
	if (m->source)
		say_missing(&p, m);
	return p.used;
}

/* tests/meters.h - helpers of the meter tests. */
#ifndef TESTS_METERS_H
#define TESTS_METERS_H

#include "harness/machine/meter/meter_inside.h"

#include <stdio.h>
#include <string.h>

/* Joules between the sample `before` and one taken now. */
static inline double moved(struct meter *m, struct meter_sample *before, int package,
			   enum meter_domain domain)
{
	struct meter_sample after, step;

	meter_sample(m, &after);
	meter_difference(before, &after, &step);
	return meter_joules(m, &step, package, domain);
}

static inline bool described(const struct meter *m, enum meter_state state, const char *part)
{
	struct meter_line line[METER_LINES];
	int n = meter_describe(m, line, METER_LINES);

	for (int i = 0; i < n; i++) {
		if (line[i].state == state && strstr(line[i].text, part))
			return true;
	}
	for (int i = 0; i < n; i++)
		printf("%d %s %s\n", (int)line[i].state, line[i].what, line[i].text);
	return false;
}

#endif

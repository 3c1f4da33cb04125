/* The meters of a build without PAPI: no cycles, no instructions, and no energy but by powercap.
 * Every reason names the library. */
#include "harness/machine/meter/meter_inside.h"

#include "base/build.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>

static int refuse(char *why)
{
	snprintf(why, METER_TEXT, "%s", library_remedy("papi"));
	return RB_EIO;
}

void meter_set_close(struct meter_set *s)
{
	s->handle = -1;
}

void meter_counts_open(struct meter *m)
{
	for (int i = 0; i < 2; i++) {
		m->at[i] = -1;
		refuse(m->count_why[i]);
	}
}

void meter_counts_read(struct meter *m, struct meter_sample *out)
{
	(void)m;
	out->cycles = out->instructions = NAN;
}

static int source_open(struct meter *m, char *why)
{
	(void)m;
	return refuse(why);
}

static void source_read(struct meter *m, uint64_t *raw)
{
	(void)m;
	(void)raw;
}

static void source_close(struct meter *m)
{
	(void)m;
}

const struct meter_source meter_source_rapl = {
	.name = "papi rapl",
	.open = source_open,
	.read = source_read,
	.close = source_close,
};

const struct meter_source meter_source_uncore = {
	.name = "perf_event_uncore",
	.open = source_open,
	.read = source_read,
	.close = source_close,
};

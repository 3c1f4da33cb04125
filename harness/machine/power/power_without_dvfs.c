/* Frequency scaling in a build without libcpupower: it can never be used. */
#include "harness/machine/power/power_inside.h"

#include "base/build.h"

#include <errno.h>
#include <stdio.h>

static bool dvfs_range(const cpu_set_t *units, struct power_range *out, char text[POWER_TEXT])
{
	(void)units;
	(void)out;
	snprintf(text, POWER_TEXT, "%s", library_remedy("cpupower"));
	return false;
}

static bool dvfs_read(int cpu, const cpu_set_t *core, struct power_setting *s,
		      char text[POWER_TEXT])
{
	(void)core;
	*s = (struct power_setting){ .kind = POWER_MAX_FREQ, .cpu = cpu };
	snprintf(text, POWER_TEXT, "%s", library_remedy("cpupower"));
	return false;
}

/* Also for settings that a run of another build has left behind. */
static bool dvfs_write(const struct power_setting *s, bool reduced)
{
	(void)s;
	(void)reduced;
	errno = ENOPKG;
	return false;
}

static void dvfs_describe(const struct power_setting *s, char text[POWER_TEXT])
{
	snprintf(text, POWER_TEXT, "the highest frequency of processing unit %d: %s", (int)s->cpu,
		 library_remedy("cpupower"));
}

const struct power_lever power_dvfs = { "dvfs", dvfs_range, dvfs_read, dvfs_write, dvfs_describe };

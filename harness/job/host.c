#include "harness/job/host.h"

#include "build_info.h"
#include "harness/job/mpirun.h"
#include "harness/machine/pin.h"
#include "harness/machine/power/power.h"
#include "harness/transport/transport.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LINE = 512 };

static void cpu_model(char *out, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[LINE], *colon;

	snprintf(out, size, "unknown");
	while (f && fgets(line, sizeof line, f)) {
		colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, size, "%s", colon + 2);
		break;
	}
	if (f)
		fclose(f);
}

/* "prterun (PRRTE) 3.0.8". It is asked once, because this starts a process. */
static const char *prrte_version(void)
{
	static char version[LINE];
	FILE *f;

	if (version[0])
		return version;
	f = popen("prterun --version 2>/dev/null", "re");
	if (f && fgets(version, sizeof version, f))
		version[strcspn(version, "\n")] = '\0';
	if (f)
		pclose(f);
	if (!version[0])
		snprintf(version, sizeof version, "unknown: prterun not found");
	return version;
}

/* Between which values a technique can set the processing units that this process may use, or why
 * it cannot. */
static json_t *range_of(enum power_technique technique, const char *least, const char *most)
{
	struct power_range range;
	char reason[POWER_TEXT];
	cpu_set_t ours;

	if (sched_getaffinity(0, sizeof ours, &ours) != 0)
		snprintf(reason, sizeof reason, "the processing units of this process: %s",
			 strerror(errno));
	else if (power_range(technique, &ours, &range, reason))
		return json_pack("{s:f, s:f, s:n}", least, range.least, most, range.most, "reason");
	return json_pack("{s:n, s:n, s:s}", least, most, "reason", reason);
}

json_t *host_of_harness(void)
{
	struct pin_machine machine = pin_machine();
	char cpu[LINE], kernel[LINE], topology[LINE], mpirun[MPIRUN_TEXT];
	bool known = pin_topology(topology, sizeof topology) == 0;
	struct utsname uts;
	json_t *started;

	uname(&uts);
	snprintf(kernel, sizeof kernel, "%s %s", uts.sysname, uts.release);
	cpu_model(cpu, sizeof cpu);
	mpirun_text(mpirun);
	started = json_string(mpirun); /* NULL if it is not UTF-8 */
	return json_pack(
		"{s:s, s:s, s:i, s:i, s:s?, s:I, s:o, s:o, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:O}",
		"hostname", uts.nodename, "cpu", cpu, "cores", machine.cores, "pus", machine.pus,
		"topology", known ? topology : NULL, "memory_bytes",
		(json_int_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), "frequency",
		range_of(POWER_DVFS, "least_hz", "most_hz"), "clock_modulation",
		range_of(POWER_CM, "least", "most"), "kernel", kernel, "prrte", prrte_version(),
		"mpirun", started ? started : json_null(), "compiler", BUILD_COMPILER, "flags",
		BUILD_FLAGS, "built_for", BUILD_CPU, "commit", BUILD_COMMIT, "transport_plan",
		transport_plan());
}

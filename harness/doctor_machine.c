/* The doctor's checks of hardware and limits. */
#include "harness/doctor.h"
#include "harness/findings.h"
#include "harness/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <papi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

void doctor_topology(void)
{
	struct pin_machine m = pin_machine();
	char text[128];

	if (m.cores < 1) {
		doctor_say(DOCTOR_WARN, "topology", "hwloc cannot read it; ranks will not be bound");
		return;
	}
	if (pin_self(0, text, sizeof text) == 0)
		doctor_say(DOCTOR_OK, "topology", "hwloc %x: %d cores, %d processing units for us; "
			   "binding works", hwloc_get_api_version(), m.cores, m.pus);
	else
		doctor_say(DOCTOR_WARN, "topology", "%d cores, but %s", m.cores, text);
}

void doctor_ranks(int np)
{
	int cores = pin_machine().cores;

	if (np > cores)
		doctor_say(DOCTOR_WARN, "ranks", "%d ranks on %d cores are oversubscribed: trust "
			   "counts and ratios, not seconds; remedy: fewer ranks or more hosts", np,
			   cores);
	else
		doctor_say(DOCTOR_OK, "ranks", "%d ranks on %d cores", np, cores);
}

void doctor_papi(void)
{
	char what[64];

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
		doctor_say(DOCTOR_ABSENT, "papi", "the library does not start; no counters");
		return;
	}
	for (int i = 0; i < PAPI_num_components(); i++) {
		const PAPI_component_info_t *c = PAPI_get_component_info(i);

		snprintf(what, sizeof what, "papi");
		if (c->disabled == PAPI_OK || c->disabled == PAPI_EDELAY_INIT)
			doctor_say(DOCTOR_OK, what, "component %s", c->name);
		else
			doctor_say(DOCTOR_ABSENT, what, "component %s: %s", c->name,
				   c->disabled_reason[0] ? c->disabled_reason : "disabled");
	}
	PAPI_shutdown();
}

void doctor_rapl(void)
{
	static const char powercap[] = "/sys/class/powercap/intel-rapl:0/energy_uj";
	static const char perf[] = "/sys/bus/event_source/devices/power/type";

	if (access(powercap, R_OK) == 0)
		doctor_say(DOCTOR_OK, "rapl", "powercap: %s", powercap);
	else if (access(perf, R_OK) == 0)
		doctor_say(DOCTOR_OK, "rapl", "perf events: power");
	else
		doctor_say(DOCTOR_ABSENT, "rapl", "%s: %s, and no perf event source 'power'; energy "
			   "is not measured here%s", powercap, strerror(errno),
			   errno == EACCES ? "; remedy: make energy_uj readable" : "");
}

void doctor_cpufreq(void)
{
	static const char path[] = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

	if (access(path, W_OK) == 0)
		doctor_say(DOCTOR_OK, "cpufreq", "writable");
	else
		doctor_say(DOCTOR_ABSENT, "cpufreq", "%s: %s; frequency is not ours to set%s", path,
			   strerror(errno), errno == EACCES ? "; remedy: run as root" : "");
}

void doctor_msr(void)
{
	static const char *const paths[] = { "/dev/cpu/0/msr_safe", "/dev/cpu/0/msr" };

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (access(paths[i], R_OK | W_OK) == 0) {
			doctor_say(DOCTOR_OK, "msr", "%s", paths[i]);
			return;
		}
	}
	doctor_say(DOCTOR_ABSENT, "msr", "%s: %s; no clock modulation; remedy on real hardware: "
		   "modprobe msr, as root", paths[1], strerror(errno));
}

void doctor_memory(void)
{
	double free_gib = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) /
			  (1 << 30);

	doctor_say(free_gib < 1 ? DOCTOR_WARN : DOCTOR_OK, "memory", "%.1f GiB free%s", free_gib,
		   free_gib < 1 ? "; remedy: smaller problems or fewer ranks" : "");
}

static void disk(const char *path)
{
	struct statvfs fs;
	double free_gib;

	if (statvfs(path, &fs) != 0) {
		doctor_say(DOCTOR_WARN, "disk", "%s: %s", path, strerror(errno));
		return;
	}
	free_gib = (double)fs.f_bavail * (double)fs.f_frsize / (1 << 30);
	doctor_say(free_gib < 1 || access(path, W_OK) != 0 ? DOCTOR_WARN : DOCTOR_OK, "disk",
		   "%s: %.1f GiB free, %s", path, free_gib,
		   access(path, W_OK) == 0 ? "writable" : "NOT writable; remedy: --workdir, --results");
}

/* Where run folders and results go. */
void doctor_disk(void)
{
	const char *tmp = getenv("TMPDIR");

	disk(tmp && *tmp ? tmp : "/tmp");
	disk(".");
}

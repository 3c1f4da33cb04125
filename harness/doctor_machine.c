/* The doctor's checks of hardware and limits. */
#include "harness/doctor.h"
#include "harness/findings.h"
#include "harness/meter.h"
#include "harness/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
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

/* What a process can measure of itself, and the energy of all packages. */
void doctor_meters(void)
{
	struct rb_error err = { "" };
	struct meter *m = meter_open("", METER_ALL, &err);
	struct meter_line line[METER_LINES];
	int n = m ? meter_describe(m, line, METER_LINES) : 0;

	if (!m)
		doctor_say(DOCTOR_WARN, "meters", "%s", err.text);
	for (int i = 0; i < n; i++)
		doctor_say(line[i].state == METER_OK ? DOCTOR_OK : DOCTOR_ABSENT, line[i].what, "%s",
			   line[i].text);
	meter_close(m);
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

/* The doctor's checks of hardware and limits. */
#include "base/build.h"
#include "base/deaths.h"
#include "base/sealed.h"
#include "base/status.h"
#include "harness/doctor/doctor.h"
#include "harness/job/scratch.h"
#include "harness/machine/meter/meter.h"
#include "harness/machine/pin.h"
#include "harness/machine/power/power.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LEFTOVERS = 32 };

void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "ok", "warning", "absent", "FAIL" };
	va_list args;

	printf("%-10s %-8s ", what, words[finding]);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

void doctor_topology(void)
{
	struct pin_machine m = pin_machine();
	char text[128];

	if (m.cores < 1) {
		doctor_say(DOCTOR_WARN, "topology",
			   "hwloc cannot read it; ranks will not be bound");
		return;
	}
	if (pin_self(0, text, sizeof text) == 0)
		doctor_say(DOCTOR_OK, "topology",
			   "hwloc %x: %d cores, %d processing units for us; "
			   "binding works",
			   hwloc_get_api_version(), m.cores, m.pus);
	else
		doctor_say(DOCTOR_WARN, "topology", "%d cores, but %s", m.cores, text);
}

void doctor_ranks(int np)
{
	int cores = pin_machine().cores;

	if (np > cores)
		doctor_say(DOCTOR_WARN, "ranks",
			   "%d ranks on %d cores are oversubscribed: trust counts, but neither "
			   "seconds nor their ratios; remedy: fewer ranks or more hosts",
			   np, cores);
	else
		doctor_say(DOCTOR_OK, "ranks", "%d ranks on %d cores", np, cores);
}

/* Report what a process can measure of itself, and the energy of all packages. */
void doctor_meters(void)
{
	struct rb_error err = { "" };
	struct meter *m = meter_open("", METER_ALL, &err);
	struct meter_line line[METER_LINES];
	int n = m ? meter_describe(m, line, METER_LINES) : 0;

	if (!m)
		doctor_say(DOCTOR_WARN, "meters", "%s", err.text);
	for (int i = 0; i < n; i++)
		doctor_say(line[i].state == METER_OK ? DOCTOR_OK : DOCTOR_ABSENT, line[i].what,
			   "%s", line[i].text);
	meter_close(m);
}

/* Report what `run --power` can do here, on one processing unit that this process may use, and what
 * killed runs left behind. */
void doctor_power(void)
{
	char text[POWER_TEXT], left[LEFTOVERS][POWER_TEXT];
	int cpu = 0, n;
	cpu_set_t ours;

	if (sched_getaffinity(0, sizeof ours, &ours) == 0)
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &ours))
			cpu++;
	for (int i = POWER_SLEEP; i < POWER_TECHNIQUES; i++) {
		bool usable = power_probe((enum power_technique)i, cpu, text);

		doctor_say(usable ? DOCTOR_OK : DOCTOR_ABSENT, "power", "%s: %s",
			   power_name((enum power_technique)i), text);
	}
	n = power_leftovers(left, LEFTOVERS);
	for (int i = 0; i < n; i++)
		doctor_say(DOCTOR_WARN, "power", "%s; the next run tries to do so, too", left[i]);
}

void doctor_memory(void)
{
	double free_gib =
		(double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);

	doctor_say(free_gib < 1 ? DOCTOR_WARN : DOCTOR_OK, "memory", "%.1f GiB free%s", free_gib,
		   free_gib < 1 ? "; remedy: smaller problems or fewer ranks" : "");
}

/* What a recovery on the same node needs to go on with what the dead process had computed. */
void doctor_constants(void)
{
	struct sealed one, again = { -1, 0 };
	bool works = sealed_begin(&one, 1) == 0 && sealed_end(&one) == 0;

	works = works && sealed_open(&again, getpid(), one.fd, one.inode) == 0;
	if (works)
		doctor_say(DOCTOR_OK, "constants",
			   "memory can be sealed and opened by other processes: a replacement "
			   "uses what the dead process had computed");
	else
		doctor_say(DOCTOR_WARN, "constants",
			   "memory cannot be sealed and opened by other processes (%s): each "
			   "replacement computes the kernel's constants; remedy: Linux 5.1 or "
			   "later with /proc",
			   strerror(errno));
	sealed_close(&again);
	sealed_close(&one);
}

static void ignore(void *ctx, const void *card)
{
	(void)ctx, (void)card;
}

/* What processes of a host need to watch each other, in a folder where runs would be. */
void doctor_detector(const char *dir)
{
	struct rb_error err = { "" };
	struct deaths *d = NULL;
	char path[SCRATCH_PATH];

	snprintf(path, sizeof path, "%s/members", dir);
	if (HAVE_PMIX)
		d = deaths_join(path, 1, "", 1, ignore, NULL, &err);
	else
		rb_fail(&err, RB_EINVAL, "%s", library_remedy("pmix"));
	if (d)
		doctor_say(DOCTOR_OK, "detector",
			   "processes can watch each other: survivors know of a death on their "
			   "host before the runtime of the MPI tells them");
	else
		doctor_say(DOCTOR_WARN, "detector",
			   "processes cannot watch each other (%s): the runtime of the MPI tells "
			   "survivors of a death, some milliseconds later",
			   err.text);
	deaths_leave(d);
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
		   access(path, W_OK) == 0 ? "writable"
					   : "NOT writable; remedy: --workdir, --results");
}

/* Check the disk where run folders and results are written. */
void doctor_disk(const char *workdir)
{
	disk(scratch_parent(workdir));
	disk(".");
}

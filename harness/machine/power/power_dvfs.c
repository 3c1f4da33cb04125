/* Dynamic voltage and frequency scaling: this sets the highest frequency of the policy, by
 * libcpupower. It works with every driver. Setting the frequency itself needs the governor
 * userspace, which intel_pstate and amd-pstate do not have. */
#include "harness/machine/power/power_inside.h"

#include <cpufreq.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool refuse(char text[POWER_TEXT], int cpu, const char *why)
{
	snprintf(text, POWER_TEXT, "processing unit %d: %s", cpu, why);
	return false;
}

static void path_of(int cpu, char out[POWER_PATH])
{
	snprintf(out, POWER_PATH, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_max_freq", cpu);
}

/* Read the range from the administrator's lowest frequency, which may be above that of the
 * hardware, to the highest. */
static bool read_limits(int cpu, struct power_setting *s)
{
	struct cpufreq_policy *policy = cpufreq_get_policy((unsigned)cpu);
	unsigned long low = 0, high = 0;
	bool read = policy && cpufreq_get_hardware_limits((unsigned)cpu, &low, &high) == 0;

	if (read) {
		s->before = policy->max;
		s->reduced = policy->min > low ? policy->min : low;
	}
	if (policy)
		cpufreq_put_policy(policy);
	return read;
}

/* How many cores outside `core` share its frequency; roles on them may be working (paper,
 * Sect. 5.3). -1: the kernel does not say which cores share it. */
static int outside(int cpu, const cpu_set_t *core)
{
	struct cpufreq_affected_cpus *all = cpufreq_get_related_cpus((unsigned)cpu);
	int count = all ? 0 : -1;

	for (struct cpufreq_affected_cpus *c = all; c; c = c->next)
		count += !CPU_ISSET(c->cpu, core);
	if (all)
		cpufreq_put_related_cpus(all);
	return count;
}

static bool check_domain(int cpu, const cpu_set_t *core, char text[POWER_TEXT])
{
	int others = outside(cpu, core);

	if (others < 0)
		return refuse(
			text, cpu,
			"cpufreq/related_cpus is not there, so it is not known which other cores "
			"have the same frequency; remedy: --power sleep");
	if (others > 0)
		return refuse(text, cpu,
			      "other cores have their frequency in common with it "
			      "(cpufreq/related_cpus), and their roles may be at work; remedy: "
			      "--power sleep, or cm");
	return true;
}

static bool check_writable(int cpu, char text[POWER_TEXT])
{
	char path[POWER_PATH], why[POWER_WHY];
	int fd;

	path_of(cpu, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	snprintf(why, sizeof why, "%s: %s; remedy: %s", path, strerror(errno),
		 errno == EROFS ? "have the container mount /sys writable, or run outside it"
				: "run as root, or have root make these files writable for you");
	return refuse(text, cpu, why);
}

static bool no_cpufreq(char text[POWER_TEXT])
{
	snprintf(text, POWER_TEXT,
		 "the kernel has no cpufreq (virtual machines rarely do); remedy on a bare "
		 "machine: modprobe acpi-cpufreq, and let the firmware leave performance to "
		 "the system");
	return false;
}

static bool dvfs_range(const cpu_set_t *units, struct power_range *out, char text[POWER_TEXT])
{
	unsigned long low, high, least = ULONG_MAX, most = 0; /* kHz */

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, units))
			continue;
		if (cpufreq_get_hardware_limits((unsigned)cpu, &low, &high) != 0)
			return no_cpufreq(text);
		least = low < least ? low : least;
		most = high > most ? high : most;
	}
	*out = (struct power_range){ 1e3 * (double)least, 1e3 * (double)most };
	return true;
}

static bool dvfs_read(int cpu, const cpu_set_t *core, struct power_setting *s,
		      char text[POWER_TEXT])
{
	*s = (struct power_setting){ .kind = POWER_MAX_FREQ, .cpu = cpu };
	if (!read_limits(cpu, s))
		return no_cpufreq(text);
	if (!check_domain(cpu, core, text))
		return false;
	if (s->reduced >= s->before)
		return refuse(text, cpu,
			      "its lowest and its highest frequency are the same; remedy: lower "
			      "cpufreq/scaling_min_freq or raise scaling_max_freq");
	if (!check_writable(cpu, text))
		return false;
	snprintf(text, POWER_TEXT, "frequency at most %" PRIu64 " instead of %" PRIu64 " MHz",
		 s->reduced / 1000, s->before / 1000);
	return true;
}

static bool dvfs_write(const struct power_setting *s, bool reduced)
{
	errno = 0;
	if (cpufreq_modify_policy_max((unsigned)s->cpu, reduced ? s->reduced : s->before) == 0)
		return true;
	errno = errno ? errno : ENODEV;
	return false;
}

static void dvfs_describe(const struct power_setting *s, char text[POWER_TEXT])
{
	char path[POWER_PATH];

	path_of(s->cpu, path);
	snprintf(text, POWER_TEXT,
		 "the highest frequency was %" PRIu64 " kHz: echo %" PRIu64 " >%s", s->before,
		 s->before, path);
}

const struct power_lever power_dvfs = { "dvfs", dvfs_range, dvfs_read, dvfs_write, dvfs_describe };

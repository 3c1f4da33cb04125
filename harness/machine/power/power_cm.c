/* Clock modulation: the register IA32_CLOCK_MODULATION of Intel's processors (Software Developer's
 * Manual, volume 3, "Software controlled clock modulation"). Bit 4: on; bits 3:1: the share of time
 * that the clock runs, in steps of 12.5 %; bit 0: half a step, on processors that have half
 * steps. */
#include "harness/machine/power/power_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { CLOCK_MODULATION = 0x19a, ON = 1 << 4, STEP = 1 << 1, HALF_STEP = 1 << 0 };

static bool refuse(char text[POWER_TEXT], int cpu, const char *why)
{
	snprintf(text, POWER_TEXT, "processing unit %d: %s", cpu, why);
	return false;
}

/* CPUID.06H:EAX[5]; /proc/cpuinfo does not contain it. */
static bool has_half_steps(void)
{
	unsigned a = 0;
#if defined(__x86_64__) || defined(__i386__)
	unsigned b, c, d;

	if (!__get_cpuid(6, &a, &b, &c, &d))
		a = 0;
#endif
	return a >> 5 & 1;
}

/* CPUID.01H:EDX[22], read from the kernel, which may have reasons to hide it. */
static bool has_clock_modulation(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f))
		found = strncmp(line, "flags", 5) == 0 && strstr(line, " acpi ");
	if (f)
		fclose(f);
	return found;
}

/* The bits of clock modulation; all other bits are kept. */
static uint64_t own_bits(void)
{
	return has_half_steps() ? ON | 7 * STEP | HALF_STEP : ON | 7 * STEP;
}

/* Read the register, and write its clock modulation bits if there are any to write. 0 or errno. */
static int access_register(const char *path, uint64_t *value, const uint64_t *bits)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), rc = 0;
	uint64_t old = 0, new;

	if (fd < 0)
		return errno;
	errno = EIO;
	if (pread(fd, &old, sizeof old, CLOCK_MODULATION) != sizeof old) {
		rc = errno;
	} else if (bits) {
		new = (old & ~own_bits()) | (*bits & own_bits());
		if (pwrite(fd, &new, sizeof new, CLOCK_MODULATION) != sizeof new)
			rc = errno;
	}
	close(fd);
	*value = old;
	return rc;
}

/* Use the first of the two files that works. Returns 0, or errno of the first file that exists;
 * path is that file. */
static int access_any(int cpu, char path[POWER_PATH], uint64_t *value, const uint64_t *bits)
{
	static const char *const devices[] = { "msr_safe", "msr" };
	int first = ENOENT;

	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		char try[POWER_PATH];
		int rc;

		snprintf(try, sizeof try, "/dev/cpu/%d/%s", cpu, devices[i]);
		rc = access_register(try, value, bits);
		if (rc == 0 || first == ENOENT)
			memcpy(path, try, POWER_PATH);
		if (rc == 0)
			return 0;
		first = first == ENOENT ? rc : first;
	}
	return first;
}

static const char *remedy(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "modprobe msr (or msr-safe)";
	case EACCES:
	case EPERM:
		return "run as root, or have root load msr-safe and list 0x19a with mask 0x1f in "
		       "/dev/cpu/msr_allowlist";
	case EROFS:
		return "have the container mount /dev writable, or run outside it";
	default:
		return "none: the processor or the hypervisor does not have the register";
	}
}

static bool cm_range(const cpu_set_t *units, struct power_range *out, char text[POWER_TEXT])
{
	(void)units; /* all are of one kind */
	*out = (struct power_range){ has_half_steps() ? 0.0625 : 0.125, 1 };
	if (has_clock_modulation())
		return true;
	snprintf(text, POWER_TEXT,
		 "the processor cannot modulate its clock: no flag 'acpi' in /proc/cpuinfo, "
		 "which Intel's have on bare machines; remedy: --power sleep");
	return false;
}

static bool cm_read(int cpu, const cpu_set_t *core, struct power_setting *s, char text[POWER_TEXT])
{
	char path[POWER_PATH], why[POWER_WHY];
	struct power_range range;
	int rc;

	*s = (struct power_setting){ .kind = POWER_CLOCK, .cpu = cpu };
	if (!cm_range(core, &range, text))
		return false;
	rc = access_any(cpu, path, &s->before, NULL);
	if (rc != 0) {
		snprintf(why, sizeof why, "%s: %s; remedy: %s", path, strerror(rc), remedy(rc));
		return refuse(text, cpu, why);
	}
	s->reduced = ON | (has_half_steps() ? HALF_STEP : STEP);
	snprintf(text, POWER_TEXT, "clock running %.4g %% of the time (%s)", 100 * range.least,
		 path);
	return true;
}

static bool cm_write(const struct power_setting *s, bool reduced)
{
	char path[POWER_PATH];
	uint64_t old;

	errno = access_any(s->cpu, path, &old, reduced ? &s->reduced : &s->before);
	return errno == 0;
}

static void cm_describe(const struct power_setting *s, char text[POWER_TEXT])
{
	snprintf(text, POWER_TEXT,
		 "the register of its clock was %#" PRIx64 ": wrmsr -p %d %#x %#" PRIx64, s->before,
		 (int)s->cpu, (unsigned)CLOCK_MODULATION, s->before);
}

const struct power_lever power_cm = { "cm", cm_range, cm_read, cm_write, cm_describe };

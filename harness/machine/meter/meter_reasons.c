/* Properties of the machine that explain why a meter is absent. */
#include "harness/machine/meter/meter_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool meter_file_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	bool read;

	out[0] = '\0';
	if (!f)
		return false;
	errno = 0;
	read = fgets(out, (int)size, f);
	if (!read && errno == 0)
		errno = ENODATA;
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
	return read;
}

/* x86 guests find this among the flags of the processor. On other processors it is not known, and
 * the answer is no. */
bool meter_is_virtual(const char *root)
{
	char path[METER_PATH + 32], line[8192];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor");
	if (f)
		fclose(f);
	return found;
}

int meter_paranoid(void)
{
	char line[32];

	if (!meter_file_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof line))
		return -99;
	return (int)strtol(line, NULL, 10);
}

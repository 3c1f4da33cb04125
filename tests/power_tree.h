/* tests/power_tree.h - the machine of tests/power-tree, for unit tests; run from the checkout. */
#ifndef TESTS_POWER_TREE_H
#define TESTS_POWER_TREE_H

#include "tests/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static inline void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

/* Become root of a user namespace, where mounts are allowed. */
static inline int enter_user_namespace(void)
{
	char map[64];
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return -1;
	put_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "0 %u 1", (unsigned)uid);
	put_file("/proc/self/uid_map", map);
	snprintf(map, sizeof map, "0 %u 1", (unsigned)gid);
	put_file("/proc/self/gid_map", map);
	return 0;
}

/* Group set-up, before anything is read from these files. A machine that forbids it fails the
 * test. */
static inline int enter_tree(void **state)
{
	char command[128];

	if (make_dir(state) != 0)
		return -1;
	if (unshare(CLONE_NEWNS) != 0 && enter_user_namespace() != 0) {
		perror("no mount namespace of our own, so nothing can be tested");
		return -1;
	}
	snprintf(command, sizeof command, "tests/power-tree %s", dir);
	return system(command);
}

static inline int refill_tree(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "tests/power-tree --fill %s", dir);
	return system(command);
}

static inline int leave_tree(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof command,
		 "umount -R %s/dev 2>/dev/null; rm -r --one-file-system %s", dir, dir);
	return system(command);
}

static inline long frequency(int cpu)
{
	char path[96];
	long khz = -1;
	FILE *f;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_max_freq", cpu);
	f = fopen(path, "r");
	if (f && fscanf(f, "%ld", &khz) != 1)
		khz = -1;
	if (f)
		fclose(f);
	return khz;
}

static inline void put_frequency(int cpu, const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, file);
	put_file(path, text);
}

static inline void remove_frequency(int cpu, const char *file)
{
	char path[96];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, file);
	if (unlink(path) != 0)
		perror(path);
}

static inline uint64_t clock_register(int cpu, const char *device)
{
	uint64_t value = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/dev/cpu/%d/%s", cpu, device);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, &value, sizeof value, 0x19a) != sizeof value)
		value = UINT64_MAX;
	close(fd);
	return value;
}

static inline void put_clock_register(int cpu, const char *device, uint64_t value)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/dev/cpu/%d/%s", cpu, device);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || pwrite(fd, &value, sizeof value, 0x19a) != sizeof value)
		perror(path);
	close(fd);
}

#endif

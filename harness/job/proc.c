#include "harness/job/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_read(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

/* PID (NAME) STATE PARENT ...; the name may contain any character, brackets and blanks included. */
bool proc_stat(pid_t pid, struct proc_stat *out)
{
	char line[512], *first, *last;
	int parent;

	if (proc_read(pid, "stat", line, sizeof line) <= 0)
		return false;
	first = strchr(line, '(');
	last = strrchr(line, ')');
	if (!first || !last || last < first ||
	    sscanf(last + 1, " %c %d", &out->state, &parent) != 2)
		return false;
	out->parent = parent;
	snprintf(out->name, sizeof out->name, "%.*s", (int)(last - first - 1), first + 1);
	return true;
}

pid_t proc_next(DIR *list)
{
	struct dirent *entry;
	pid_t pid;

	while (list && (entry = readdir(list))) {
		pid = (pid_t)atoi(entry->d_name);
		if (pid > 0)
			return pid;
	}
	return 0;
}

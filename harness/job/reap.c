#include "harness/job/reap.h"

#include "harness/job/cleaner.h"
#include "harness/job/proc.h"
#include "harness/power/power.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIDS_MAX = 8192, PATIENCE_MS = 2000, STEP_MS = 20 };

struct process {
	pid_t pid, parent;
	bool ours, guardian, beside;
};

static void nap(int ms)
{
	const struct timespec pause = { 0, ms * 1000000L };

	nanosleep(&pause, NULL);
}

static struct process look_at(pid_t pid)
{
	struct process p = { .pid = pid, .parent = -1 };
	struct proc_stat process;

	if (!proc_stat(pid, &process))
		return p;
	p.parent = process.parent;
	p.guardian = strcmp(process.name, POWER_GUARD_NAME) == 0;
	p.beside = strcmp(process.name, CLEANER_NAME) == 0 || strcmp(process.name, LOAD_NAME) == 0;
	return p;
}

static int list_processes(struct process *list)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	while (proc && count < PIDS_MAX && (entry = readdir(proc))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0)
			list[count++] = look_at(pid);
	}
	if (proc)
		closedir(proc);
	return count;
}

/* Mark descendants and kill them. This is repeated until no process is added, since a parent may come
 * later in the list. Guardians end by themselves after their workers, and must restore settings before
 * that. The cleaner and load do not belong to the job. */
static int kill_descendants(struct process *list)
{
	int count = list_processes(list), marked = 0, before;
	pid_t self = getpid();

	do {
		before = marked;
		for (int i = 0; i < count; i++) {
			for (int j = 0; !list[i].ours && !list[i].beside && j < count; j++)
				if (list[i].parent == self ||
				    (list[j].ours && list[i].parent == list[j].pid)) {
					list[i].ours = true;
					marked++;
				}
		}
	} while (marked != before);
	for (int i = 0; i < count; i++)
		if (list[i].ours && !list[i].guardian)
			kill(list[i].pid, SIGKILL);
	return marked;
}

static void collect(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void reap_all(pid_t first)
{
	struct process *list = calloc(PIDS_MAX, sizeof *list);
	int left = 0;

	if (first > 0) {
		kill(first, SIGTERM);
		for (int ms = 0; ms < PATIENCE_MS && waitpid(first, NULL, WNOHANG) == 0; ms += STEP_MS)
			nap(STEP_MS);
	}
	collect();
	for (int ms = 0; list && ms < PATIENCE_MS && (left = kill_descendants(list)) > 0; ms += STEP_MS) {
		nap(STEP_MS);
		collect();
	}
	if (left > 0 && list && kill_descendants(list) > 0)
		fprintf(stderr, "rollbench: a process has not ended in time; if it is a guardian of power settings "
			"(%s), it ends when they are restored, else see `rollbench doctor`\n",
			POWER_GUARD_NAME);
	free(list);
}

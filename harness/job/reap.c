#include "harness/job/reap.h"

#include "harness/job/cleaner.h"
#include "harness/job/proc.h"
#include "harness/machine/power/power.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, STEP_MS = 20 };

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
	p.beside = strcmp(process.name, CLEANER_NAME) == 0 ||
		   strcmp(process.name, LOAD_NAME) == 0 ||
		   strcmp(process.name, METER_COMMAND_NAME) == 0;
	return p;
}

struct processes {
	struct process *list;
	int count, room;
};

static bool append(struct processes *all, struct process p)
{
	if (all->count == all->room) {
		int room = all->room ? 2 * all->room : 1024;
		struct process *list = realloc(all->list, (size_t)room * sizeof *list);

		if (!list)
			return false;
		all->list = list;
		all->room = room;
	}
	all->list[all->count++] = p;
	return true;
}

static void list_processes(struct processes *all)
{
	DIR *proc = opendir("/proc");
	pid_t pid;

	all->count = 0;
	while ((pid = proc_next(proc)))
		if (!append(all, look_at(pid))) {
			fprintf(stderr,
				"rollbench: out of memory: a process of the job may be left\n");
			break;
		}
	if (proc)
		closedir(proc);
}

/* Mark descendants and kill them. This is repeated until no process is added, since a parent may
 * come later in the list. Guardians end by themselves after their workers, and must restore
 * settings before that. The cleaner, load and a meter's command do not belong to the job. */
static int kill_descendants(struct processes *all)
{
	int count, marked = 0, before;
	struct process *list;
	pid_t self = getpid();

	list_processes(all);
	list = all->list;
	count = all->count;
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
	struct processes all = { NULL, 0, 0 };
	int left = 0;

	if (first > 0) {
		kill(first, SIGTERM);
		for (int ms = 0; ms < PATIENCE_MS && waitpid(first, NULL, WNOHANG) == 0;
		     ms += STEP_MS)
			nap(STEP_MS);
	}
	collect();
	for (int ms = 0; ms < PATIENCE_MS && (left = kill_descendants(&all)) > 0; ms += STEP_MS) {
		nap(STEP_MS);
		collect();
	}
	if (left > 0 && kill_descendants(&all) > 0)
		fprintf(stderr,
			"rollbench: a process has not ended in time; if it is a guardian of power "
			"settings (%s), it ends when they are restored, else see `rollbench "
			"doctor`\n",
			POWER_GUARD_NAME);
	free(all.list);
}

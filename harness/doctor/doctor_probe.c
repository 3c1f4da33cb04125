/* The programs that the doctor starts with the command line of every job, and what they print. */
#include "harness/doctor/doctor.h"

#include "base/end_with_parent.h"
#include "base/program.h"
#include "harness/job/mpirun.h"
#include "harness/job/reap.h"
#include "harness/transport/transport.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

void doctor_probe_path(char *out, size_t size)
{
	char *slash;

	program_path(out, size - 32); /* the name of the probe is longer */
	slash = strrchr(out, '/');
	strcpy(slash ? slash + 1 : out, "ulfm_probe");
}

static void start(pid_t parent, int out, const struct mpirun_job *job)
{
	struct mpirun_command c;

	setpgid(0, 0);
	end_with_parent(parent);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(out, 1);
	dup2(out, 2);
	mpirun_build(&c, transport_plan(), job);
	execvp(c.word[0], (char *const *)(uintptr_t)c.word);
	perror(c.word[0]);
	_exit(127);
}

/* Collect the output of the probe until it ends or its time is over. */
static void read_until(int in, char *text, size_t size, time_t end)
{
	size_t used = 0;

	fcntl(in, F_SETFL, O_NONBLOCK);
	while (time(NULL) < end && used < size - 1) {
		const struct timespec nap = { 0, 20000000 };
		ssize_t n = read(in, text + used, size - 1 - used);

		if (n == 0)
			break;
		used += n > 0 ? (size_t)n : 0;
		if (n < 0)
			nanosleep(&nap, NULL);
	}
	/* Open MPI prints a byte 0 behind a message */
	for (size_t i = 0; i < used; i++)
		if (text[i] == '\0')
			text[i] = '\n';
	text[used] = '\0';
}

bool doctor_start(const struct mpirun_job *job, char *text, size_t size)
{
	time_t end = time(NULL) + DOCTOR_DEADLINE_S;
	const pid_t self = getpid();
	int ends[2];
	pid_t child;

	text[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child == 0)
		start(self, ends[1], job);
	close(ends[1]);
	read_until(ends[0], text, size, end);
	close(ends[0]);
	reap_all(child);
	return time(NULL) < end;
}

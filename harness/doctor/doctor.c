#include "harness/doctor/doctor.h"

#include "base/end_with_parent.h"
#include "base/error.h"
#include "base/program.h"
#include "base/status.h"
#include "harness/job/mpirun.h"
#include "harness/spec/command.h"
#include "harness/job/reap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROBE_DEADLINE_S = 30 };

struct request {
	int np;
};

static const struct option own[] = {
	{ "np", "N", "ranks that you want to run, spares included", OPTION_INT, .at = offsetof(struct request, np),
	  .least = 1, .most = 1 << 20, .standard = "9" },
	{ .name = NULL },
};

static const struct command command = {
	.usage = "usage: rollbench doctor [--np N]\n"
		 "\n"
		 "Report what this machine can do, one line for each: fault tolerance of the MPI (by killing\n"
		 "ranks of a three-process program), this build and its libraries, topology, counters, energy meters, power controls,\n"
		 "memory and disk. Exit status 0 if runs are possible, 1 if not.\n"
		 "\n",
	.own = own,
};

static void probe_path(char *out, size_t size)
{
	char *slash;

	program_path(out, size - 32); /* the name of the probe is longer */
	slash = strrchr(out, '/');
	strcpy(slash ? slash + 1 : out, "ulfm_probe");
}

static void start_probe(pid_t parent, int out, const char *mode)
{
	char path[4096];
	const char *const what[] = { "--map-by", ":OVERSUBSCRIBE", "-np", "3", path, mode, NULL };
	struct mpirun_command c;

	probe_path(path, sizeof path);
	setpgid(0, 0);
	end_with_parent(parent);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(out, 1);
	dup2(out, 2);
	mpirun_begin(&c, true);
	mpirun_add_all(&c, mpirun_loopback);
	mpirun_add_all(&c, mpirun_naps);
	mpirun_add_all(&c, what);
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
	text[used] = '\0';
}

static const char *last_line(char *text)
{
	char *line;

	while (*text && strchr(" -=\n\t", text[strlen(text) - 1]))
		text[strlen(text) - 1] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

/* Start a probe; text receives what it prints within its time. */
static void probe(const char *mode, char *text, size_t size)
{
	time_t end = time(NULL) + PROBE_DEADLINE_S;
	const pid_t self = getpid();
	int ends[2];
	pid_t child;

	text[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child == 0)
		start_probe(self, ends[1], mode);
	close(ends[1]);
	read_until(ends[0], text, size, end);
	close(ends[0]);
	reap_all(child);
}

/* What the probe of three ranks has measured, on this host. */
static void say_network(const char *text)
{
	const char *line = strstr(text, "network ");
	double seconds, rate;

	if (line && sscanf(line, "network %lg %lg", &seconds, &rate) == 2)
		doctor_say(DOCTOR_OK, "messages", "%.3g us one way between two ranks of this host, %.3g GB/s (ping-pong of 8 bytes and of "
			   "256 KiB); the record of each run has those of its job", 1e6 * seconds, 1e-9 * rate);
	else
		doctor_say(DOCTOR_WARN, "messages", "the ping-pong of two ranks gave no result");
}

static bool check_ulfm(void)
{
	char text[16384];
	time_t end = time(NULL) + PROBE_DEADLINE_S;

	probe(NULL, text, sizeof text);
	if (strstr(text, "ulfm works")) {
		doctor_say(DOCTOR_OK, "ulfm", "a rank of three was killed; the others noticed, "
			   "shrank and agreed");
		say_network(text);
		return true;
	}
	doctor_say(DOCTOR_FAIL, "ulfm", "a rank of three was killed and the others did not recover%s: "
		   "%s; remedy: use Open MPI 5 with ULFM (`make deps`, or MPICC=...)",
		   time(NULL) >= end ? " within 30 s" : "", last_line(text));
	return false;
}

/* Check spawning. Runs with spares are possible without it. */
static void check_spawn(void)
{
	char text[16384];

	probe("spawn", text, sizeof text);
	if (strstr(text, "spawn works 2"))
		doctor_say(DOCTOR_OK, "spawn", "MPI_Comm_spawn replaced a dead rank, and the "
			   "replacement when it died, too (--replace spawn)");
	else if (strstr(text, "spawn works 1"))
		doctor_say(DOCTOR_WARN, "spawn", "MPI_Comm_spawn replaced a dead rank once, but not a "
			   "second time: %s; remedy: use spares (docs/ulfm-notes.md)", last_line(text));
	else
		doctor_say(DOCTOR_WARN, "spawn", "MPI_Comm_spawn did not replace a dead rank: %s; "
			   "remedy: use spares (docs/ulfm-notes.md)", last_line(text));
}

static bool check_mpi(void)
{
	char line[256] = "";
	FILE *f = popen("${ROLLBENCH_MPIRUN:-mpirun} --version 2>/dev/null", "re");

	if (f && fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		pclose(f);
	if (line[0])
		doctor_say(DOCTOR_OK, "mpi", "%s", line);
	else
		doctor_say(DOCTOR_FAIL, "mpi", "mpirun is not there; remedy: `make deps`");
	return line[0];
}

int doctor_main(int argc, char **argv)
{
	struct request r = { .np = 9 };
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, NULL, &r, &err);
	bool usable;

	if (rc == 1)
		return 0;
	if (rc != RB_OK) {
		fprintf(stderr, "rollbench doctor: %s\n", err.text);
		return 2;
	}
	usable = check_mpi() && check_ulfm();
	if (usable)
		check_spawn();
	doctor_build();
	doctor_topology();
	doctor_ranks(r.np);
	doctor_meters();
	doctor_power();
	doctor_memory();
	doctor_disk();
	return usable ? 0 : 1;
}

#include "harness/job/launch_job.h"

#include "base/clock.h"
#include "base/end_with_parent.h"
#include "base/program.h"
#include "base/status.h"
#include "harness/job/job_log.h"
#include "harness/job/mpirun.h"
#include "harness/job/reap.h"
#include "harness/machine/pin.h"
#include "harness/options/spec.h"
#include "harness/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_NS = 5000000 };

static const double LINGER_S = 5; /* the time for MPI to end a job that has nothing left to do */

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

/* Under nohup hang-ups are ignored. The libraries of the MPI install handlers of their own when
 * they are loaded, so this is read before: functions in .preinit_array run first. */
static bool nohup;

static void ask_nohup(int argc, char **argv, char **environment)
{
	struct sigaction inherited;

	(void)argc, (void)argv, (void)environment;
	nohup = sigaction(SIGHUP, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN;
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
									    char **) = ask_nohup;

void launch_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (nohup)
		action.sa_handler = SIG_IGN;
	sigaction(SIGHUP, &action, NULL);
}

int launch_signal(void)
{
	return caught;
}

/* Check that neither this program nor that of the ranks has changed, because ranks of another build
 * would make records under the name of this one. */
static int know_program(struct rb_error *err)
{
	const struct program_ranks *ranks = program_ranks();
	struct stat running, own, now;
	char path[PROGRAM_PATH];

	program_path(path, sizeof path);
	if (ranks->file.st_ino == 0)
		return rb_fail(err, RB_EIO,
			       "%.400s: the program of the ranks is not there; `make` builds it",
			       ranks->path);
	if (stat("/proc/self/exe", &running) == 0 && stat(path, &own) == 0 &&
	    program_same(&own, &running) && stat(ranks->path, &now) == 0 &&
	    program_same(&now, &ranks->file))
		return RB_OK;
	return rb_fail(err, RB_EIO,
		       "%.400s: rebuilt or removed since this command began; start it again",
		       ranks->path);
}

/* Put the folder of the MPI's daemon, which could collide with that of an earlier process of the
 * same number, into the folder of the run, which is removed with it, like the segments of shared
 * memory (job->shared). This is for one host only, because other hosts do not have these
 * folders. */
static void keep_together(const struct launch_job *job)
{
	/* the path of a socket in the daemon's folder has at most 108 characters */
	enum { SOCKET_ROOM = 60 };

	if (strlen(job->dir) < SOCKET_ROOM)
		setenv("TMPDIR", job->dir, 1);
}

static void start_mpirun(const struct launch_job *job)
{
	const char *const self[] = { program_ranks()->path, NULL };
	const struct mpirun_job start = { .with_ft = job->with_ft,
					  .placement = job->placement,
					  .shared = job->shared,
					  .per_core = job->per_core,
					  .np = job->np,
					  .program = self,
					  .arguments = job->worker };
	struct mpirun_command c;

	mpirun_build(&c, transport_plan(), &start);
	if (mpirun_is_here(&start))
		keep_together(job);
	execvp(c.word[0], (char *const *)(uintptr_t)c.word);
	fprintf(stderr, "rollbench: cannot start %s: %s; install Open MPI 5 or run `make deps`\n",
		c.word[0], strerror(errno));
	_exit(127);
}

/* In the child: take an own process group (so that only the harness handles Ctrl-C), and write
 * output into the run folder. */
static void become_child(const struct launch_job *job, pid_t parent)
{
	char path[SCRATCH_PATH];
	int log, null;

	job_log_path(job->dir, path);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setpgid(0, 0);
	signal(SIGXFSZ, SIG_DFL); /* by it mpirun and the ranks say more than by failed writes */
	end_with_parent(parent);
	if (log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(127);
}

/* The state of the job is asked for only from time to time, because watching must not cost the run
 * anything. */
static enum launch_end watch(const struct launch_job *job, pid_t child)
{
	const struct timespec nap = { 0, POLL_NS };
	double look = job->begun_s + 1, over = 0;
	int status;

	for (;;) {
		double now;

		if (waitpid(child, &status, WNOHANG) == child) {
			job_log_add_end(job->dir, status);
			return WIFSIGNALED(status) ? LAUNCH_CUT : LAUNCH_EXITED;
		}
		if (caught)
			return LAUNCH_INTERRUPTED;
		now = clock_monotonic();
		if (now > look) {
			enum job_state state = job->look(job->ctx);

			look = now + 1;
			if (state == JOB_STUCK)
				return LAUNCH_STUCK;
			if (state != JOB_OVER) /* perhaps this was the failure of an earlier job */
				over = 0;
			else if (over == 0)
				over = now;
			else if (now > over + LINGER_S)
				return LAUNCH_LINGERED;
		}
		if (now > job->begun_s + job->deadline_s)
			return over > 0 ? LAUNCH_LINGERED : LAUNCH_DEADLINE;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	}
}

int launch_job(const struct launch_job *job, enum launch_end *end, struct rb_error *err)
{
	const pid_t self = getpid();
	pid_t child;

	RB_TRY(mpirun_check(err));
	RB_TRY(know_program(err));
	if (job->with_ft)
		RB_TRY(transport_check(transport_plan(), err));
	else
		transport_plan(); /* before the fork */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child == 0) {
		become_child(job, self);
		start_mpirun(job);
	}
	if (child < 0)
		return rb_fail(err, RB_EIO, "cannot start a process: %s", strerror(errno));
	*end = watch(job, child);
	if (*end == LAUNCH_DEADLINE && job->late)
		job->late(job->ctx);
	reap_all(launch_ended(*end) ? 0 : child);
	return RB_OK;
}

static bool has_own_cores(const struct hosts *hosts)
{
	return hosts && !getenv("VCLUSTER");
}

bool launch_oversubscribed(const struct hosts *hosts, int np, int spares)
{
	const int cores = pin_machine().cores;

	if (has_own_cores(hosts))
		return hosts_oversubscribed(hosts, np, spares, cores);
	return cores > 0 && np + spares > cores;
}

double launch_per_core(const struct hosts *hosts, int processes)
{
	const int cores = pin_machine().cores;

	return has_own_cores(hosts) || cores <= 0 ? 1 : (double)processes / cores;
}

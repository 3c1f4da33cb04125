#include "harness/launch.h"

#include "base/clock.h"
#include "base/status.h"
#include "ft/ledger.h"
#include "harness/pin.h"
#include "harness/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_MAX = 96, POLL_NS = 5000000, RESTARTS_MAX = 1000 };

static const double LINGER_S = 5; /* for MPI to end a job that has nothing left to do */

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

void launch_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int launch_signal(void)
{
	return caught;
}

struct arguments {
	const char *list[ARGS_MAX];
	int count;
};

static void add(struct arguments *a, const char *text)
{
	if (a->count < ARGS_MAX - 1)
		a->list[a->count++] = text;
}

static void add_all(struct arguments *a, const char *const *texts)
{
	while (*texts)
		add(a, *texts++);
}

/* The user's own arguments, for instance a host file; blanks separate them. */
static bool add_environment(struct arguments *a, char *copy, size_t size)
{
	const char *extra = getenv("ROLLBENCH_MPIRUN_ARGS");
	char *save, *word;

	snprintf(copy, size, "%s", extra ? extra : "");
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		add(a, word);
	return extra && (strstr(extra, "host") || strstr(extra, "btl_tcp_if"));
}

/* What a killed rank or mpirun would leave in common places goes into our own, which are removed with
 * the run: the daemon's own folder, which could collide with that of an earlier process of the
 * same number, and the segments of shared memory. On one host only; others do not have our folders. */
static void keep_together(struct arguments *a, const struct launch *launch)
{
	enum { SOCKET_ROOM = 60 }; /* a socket's path in the daemon's folder has 108 characters */

	if (strlen(launch->dir) < SOCKET_ROOM)
		setenv("TMPDIR", launch->dir, 1);
	if (launch->shared.dir[0]) {
		add(a, "--mca");
		add(a, "btl_sm_backing_directory");
		add(a, launch->shared.dir);
	}
}

/* Why each argument is there: docs/ulfm-notes.md. */
static void start_mpirun(const struct run_spec *spec, const struct launch *launch)
{
	static const char *const protection[] = { "--with-ft", "ulfm", NULL };
	static const char *const always[] = { "--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE",
					      "--bind-to", "none",
					      "--mca", "coll", "^han", NULL };
	static const char *const loopback[] = { "--mca", "btl_tcp_if_include", "lo", NULL };
	static const char *const yield[] = { "--mca", "mpi_yield_when_idle", "1", NULL };
	const char *mpirun = getenv("ROLLBENCH_MPIRUN");
	char self[SPEC_PATH], copy[4096], count[16];
	struct arguments a = { .count = 0 };
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	self[length > 0 ? length : 0] = '\0';
	snprintf(count, sizeof count, "%d", spec->np + spec->spares);
	add(&a, mpirun ? mpirun : "mpirun");
	if (strcmp(spec->policy, policy_off.name) != 0 && spec->strategy == FT_GO_ON)
		add_all(&a, protection);
	add_all(&a, always);
	if (!add_environment(&a, copy, sizeof copy)) {
		add_all(&a, loopback);
		keep_together(&a, launch);
	}
	if (launch->oversubscribed)
		add_all(&a, yield);
	add(&a, "-np");
	add(&a, count);
	add(&a, self);
	add(&a, "worker");
	add(&a, launch->dir);
	execvp(a.list[0], (char *const *)(uintptr_t)a.list);
	fprintf(stderr, "rollbench: cannot start %s: %s; install Open MPI 5 or run `make deps`\n",
		a.list[0], strerror(errno));
	_exit(127);
}

/* In the child: own process group (Ctrl-C is for us to handle), output into the run folder. */
static void become_child(const struct launch *launch)
{
	char path[SPEC_PATH + 16];
	int log, null;

	snprintf(path, sizeof path, "%s/mpirun.log", launch->dir);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(127);
}

/* How far the roles are, by their ledgers. */
struct progress {
	int there, finished;
	bool gave_up; /* one of them has, so the job will have no result */
};

static struct progress look_at_roles(const struct run_spec *spec, const char *dir)
{
	static struct ledger l;
	struct progress p = { 0, 0, false };
	struct rb_error err;

	for (int r = 0; r < spec->np; r++) {
		if (ledger_read(dir, r, &l, &err) != RB_OK)
			continue;
		p.there++;
		p.finished += l.finished_at >= 0;
		p.gave_up = p.gave_up || l.phase == LEDGER_FAILED;
	}
	return p;
}

/* It only remains for MPI to end the job, and it does not always (prterun can lock itself out in
 * MPI_Abort). */
static bool all_over(const struct run_spec *spec, const char *dir)
{
	struct progress p = look_at_roles(spec, dir);

	return p.gave_up || p.finished == spec->np;
}

/* The ledgers are looked at only now and then: watching must not cost the watched anything. */
static enum launch_end watch(const struct run_spec *spec, const char *dir, pid_t child,
			     double begin)
{
	const struct timespec nap = { 0, POLL_NS };
	double look = begin + 1, over = 0;

	for (;;) {
		double now;

		if (waitpid(child, NULL, WNOHANG) == child)
			return LAUNCH_EXITED;
		if (caught)
			return LAUNCH_INTERRUPTED;
		now = clock_monotonic();
		if (now > look) {
			look = now + 1;
			if (!all_over(spec, dir)) /* an earlier job's failure, perhaps */
				over = 0;
			else if (over == 0)
				over = now;
			else if (now > over + LINGER_S)
				return LAUNCH_LINGERED;
		}
		if (now > begin + spec->deadline_s)
			return over > 0 ? LAUNCH_LINGERED : LAUNCH_DEADLINE;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	}
}

/* One job, from start to end. RB_OK or RB_EIO. */
static int run_job(const struct run_spec *spec, struct launch *launch, double begin,
		   struct rb_error *err)
{
	pid_t child = fork();

	if (child == 0) {
		become_child(launch);
		start_mpirun(spec, launch);
	}
	if (child < 0)
		return rb_fail(err, RB_EIO, "cannot start a process: %s", strerror(errno));
	launch->end = watch(spec, launch->dir, child, begin);
	reap_all(launch->end == LAUNCH_EXITED ? 0 : child);
	return RB_OK;
}

/* Is there something to resume: the job ended without a result and without giving up? */
static bool died(const struct run_spec *spec, const struct launch *launch)
{
	struct progress p = look_at_roles(spec, launch->dir);

	return launch->end == LAUNCH_EXITED && p.there > 0 && p.finished < spec->np && !p.gave_up;
}

static int run_jobs(const struct run_spec *spec, struct launch *launch, struct rb_error *err)
{
	struct pin_machine machine = pin_machine();
	double begin = clock_monotonic();
	int rc;

	launch->oversubscribed = machine.cores > 0 && spec->np + spec->spares > machine.cores;
	shared_memory_make(&launch->shared, launch->dir);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	rc = run_job(spec, launch, begin, err);
	while (rc == RB_OK && spec->strategy == FT_RESTART && launch->restarts < RESTARTS_MAX &&
	       died(spec, launch)) {
		launch->restarts++;
		rc = run_job(spec, launch, begin, err);
	}
	launch->wall_s = clock_monotonic() - begin;
	shared_memory_remove(&launch->shared);
	return rc;
}

int launch_run(const struct run_spec *spec, const char *parent, struct launch *launch,
	       struct rb_error *err)
{
	int rc;

	memset(launch, 0, sizeof *launch);
	launch->lock = launch->shared.lock = -1;
	RB_TRY(scratch_make(parent, launch->dir, err));
	rc = spec_save(spec, launch->dir, err);
	if (rc == RB_OK)
		rc = scratch_lock(launch->dir, &launch->lock, err);
	if (rc == RB_OK)
		rc = run_jobs(spec, launch, err);
	if (rc != RB_OK)
		launch_remove(launch);
	return rc;
}

int launch_resume(const struct run_spec *spec, const char *dir, struct launch *launch,
		  struct rb_error *err)
{
	char absolute[PATH_MAX];

	memset(launch, 0, sizeof *launch);
	launch->lock = launch->shared.lock = -1;
	launch->resumed = true;
	if (!realpath(dir, absolute) ||
	    snprintf(launch->dir, sizeof launch->dir, "%s", absolute) >= (int)sizeof launch->dir)
		return rb_fail(err, RB_EINVAL, "%s: %s", dir, strerror(errno));
	RB_TRY(scratch_lock(launch->dir, &launch->lock, err));
	return run_jobs(spec, launch, err);
}

void launch_remove(struct launch *launch)
{
	shared_memory_remove(&launch->shared);
	scratch_remove(launch->dir);
	if (launch->lock >= 0)
		close(launch->lock);
	launch->lock = -1;
}

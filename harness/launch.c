#include "harness/launch.h"

#include "base/clock.h"
#include "base/status.h"
#include "ft/ledger.h"
#include "harness/pin.h"
#include "harness/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_MAX = 96, POLL_NS = 5000000, RESTARTS_MAX = 1000 };

static const double LINGER_S = 5; /* for MPI to end a job whose results are all written */

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
	if (launch->shared[0]) {
		add(a, "--mca");
		add(a, "btl_sm_backing_directory");
		add(a, launch->shared);
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

static bool all_written(const struct run_spec *spec, const char *dir)
{
	static struct ledger l;
	struct rb_error err;

	for (int r = 0; r < spec->np; r++)
		if (ledger_read(dir, r, &l, &err) != RB_OK || l.phase != LEDGER_DONE)
			return false;
	return true;
}

/* The ledgers are looked at only now and then: watching must not cost the watched anything. */
static enum launch_end watch(const struct run_spec *spec, const char *dir, pid_t child,
			     double begin)
{
	const struct timespec nap = { 0, POLL_NS };
	double look = begin + 1, written = 0;

	for (;;) {
		double now;

		if (waitpid(child, NULL, WNOHANG) == child)
			return LAUNCH_EXITED;
		if (caught)
			return LAUNCH_INTERRUPTED;
		now = clock_monotonic();
		if (now > look) {
			look = now + 1;
			if (written == 0 && all_written(spec, dir))
				written = now;
			else if (written > 0 && now > written + LINGER_S)
				return LAUNCH_LINGERED;
		}
		if (now > begin + spec->deadline_s)
			return written > 0 ? LAUNCH_LINGERED : LAUNCH_DEADLINE;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	}
}

static int make_folder(const char *parent, struct launch *launch, struct rb_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char absolute[PATH_MAX];

	if (!parent)
		parent = tmp && *tmp ? tmp : "/tmp";
	if (realpath(parent, absolute)) /* other processes may have other working folders */
		parent = absolute;
	if (snprintf(launch->dir, sizeof launch->dir, "%s/rollbench-run-XXXXXX", parent) >=
	    (int)sizeof launch->dir)
		return rb_fail(err, RB_EINVAL, "--workdir: the path is too long");
	if (!mkdtemp(launch->dir))
		return rb_fail(err, RB_EIO, "%s: cannot create a run folder: %s; choose another "
			       "place with --workdir", parent, strerror(errno));
	return RB_OK;
}

/* Held for as long as we are at it, so that nobody resumes a run that is under way. */
static int lock_folder(struct launch *launch, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	snprintf(path, sizeof path, "%s/lock", launch->dir);
	launch->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (launch->lock < 0)
		return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
	if (flock(launch->lock, LOCK_EX | LOCK_NB) != 0)
		return rb_fail(err, RB_EINVAL, "%s: another rollbench is running it", launch->dir);
	return RB_OK;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_tree(const char *dir)
{
	if (dir[0])
		nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Folders of shared memory whose harness was killed: nobody holds their lock. Young ones are left
 * alone, since they may be about to be locked. */
static void remove_stale_shared(void)
{
	const time_t young = time(NULL) - 60;
	glob_t found;

	if (glob("/dev/shm/rollbench-*", 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct stat st;

		if (fd >= 0 && fstat(fd, &st) == 0 && st.st_ctime < young &&
		    flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_tree(found.gl_pathv[i]);
		if (fd >= 0)
			close(fd);
	}
	globfree(&found);
}

/* An earlier harness that was killed could not remove its shared memory. */
static void take_over_shared(struct launch *launch)
{
	static const char prefix[] = "/dev/shm/rollbench-";
	char path[SPEC_PATH + 16], old[64] = "";
	FILE *f;

	snprintf(path, sizeof path, "%s/shared-memory", launch->dir);
	f = fopen(path, "re");
	if (f && fscanf(f, "%63s", old) == 1 && strncmp(old, prefix, sizeof prefix - 1) == 0)
		remove_tree(old);
	if (f)
		fclose(f);
	remove_stale_shared();
	snprintf(launch->shared, sizeof launch->shared, "%sXXXXXX", prefix);
	if (!mkdtemp(launch->shared))
		launch->shared[0] = '\0';
	launch->shared_lock = open(launch->shared, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (launch->shared_lock >= 0)
		flock(launch->shared_lock, LOCK_EX | LOCK_NB);
	f = fopen(path, "we");
	if (!f)
		return;
	fprintf(f, "%s\n", launch->shared);
	fclose(f);
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
	static struct ledger l;
	struct rb_error err;
	bool all = true, any = false;

	for (int r = 0; r < spec->np; r++) {
		bool there = ledger_read(launch->dir, r, &l, &err) == RB_OK;

		if (there && l.phase == LEDGER_FAILED)
			return false;
		any = any || there;
		all = all && there && (l.phase == LEDGER_CLOSE || l.phase == LEDGER_DONE);
	}
	return launch->end == LAUNCH_EXITED && any && !all;
}

static int run_jobs(const struct run_spec *spec, struct launch *launch, struct rb_error *err)
{
	struct pin_machine machine = pin_machine();
	double begin = clock_monotonic();
	int rc;

	launch->oversubscribed = machine.cores > 0 && spec->np + spec->spares > machine.cores;
	take_over_shared(launch);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	rc = run_job(spec, launch, begin, err);
	while (rc == RB_OK && spec->strategy == FT_RESTART && launch->restarts < RESTARTS_MAX &&
	       died(spec, launch)) {
		launch->restarts++;
		rc = run_job(spec, launch, begin, err);
	}
	launch->wall_s = clock_monotonic() - begin;
	remove_tree(launch->shared);
	if (launch->shared_lock >= 0)
		close(launch->shared_lock);
	launch->shared_lock = -1;
	return rc;
}

int launch_run(const struct run_spec *spec, const char *parent, struct launch *launch,
	       struct rb_error *err)
{
	int rc;

	memset(launch, 0, sizeof *launch);
	launch->lock = launch->shared_lock = -1;
	RB_TRY(make_folder(parent, launch, err));
	rc = spec_save(spec, launch->dir, err);
	if (rc == RB_OK)
		rc = lock_folder(launch, err);
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
	launch->lock = launch->shared_lock = -1;
	launch->resumed = true;
	if (!realpath(dir, absolute) ||
	    snprintf(launch->dir, sizeof launch->dir, "%s", absolute) >= (int)sizeof launch->dir)
		return rb_fail(err, RB_EINVAL, "%s: %s", dir, strerror(errno));
	RB_TRY(lock_folder(launch, err));
	return run_jobs(spec, launch, err);
}

void launch_remove(struct launch *launch)
{
	remove_tree(launch->shared);
	remove_tree(launch->dir);
	if (launch->lock >= 0)
		close(launch->lock);
	launch->lock = -1;
}

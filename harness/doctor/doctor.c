#include "harness/doctor/doctor.h"

#include "base/error.h"
#include "base/status.h"
#include "harness/job/launch.h"
#include "harness/job/mpirun.h"
#include "harness/options/allocation.h"
#include "harness/options/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	int np;
	const char *workdir;
	const struct hosts *hosts; /* NULL: this one */
};

static int set_hostfile(void *request, const char *path, struct rb_error *err)
{
	static struct hosts hosts;

	((struct request *)request)->hosts = &hosts;
	return hosts_load(&hosts, path, err);
}

static const struct option own[] = {
	{ "np", "N", "ranks that you want to run, spares included", OPTION_INT,
	  .at = offsetof(struct request, np), .least = 1, .most = 1 << 20, .standard = "9" },
	{ "hostfile", "FILE",
	  "hosts to look at, one per line as `HOST [slots=N]`; without it those of the batch "
	  "system's allocation (docs/cluster.md)",
	  OPTION_OWN, .set = set_hostfile },
	{ "workdir", "DIR",
	  "where folders of runs will be made (default $TMPDIR or /tmp); do all hosts see it?",
	  OPTION_STRING, .at = offsetof(struct request, workdir) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench doctor [OPTION ...]\n"
		"\n"
		"Report what this machine, or several hosts, can do, one line for each: how messages travel and who decided it,\n"
		"hosts and their clocks, fault tolerance of the MPI (by killing ranks of a three-process program), how deaths are noticed, topology,\n"
		"this build and its libraries, counters, energy meters, power controls, memory and disk. Exit status 0 if runs are possible, 1 if not.\n"
		"\n",
	.own = own,
};

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
		doctor_say(
			DOCTOR_FAIL, "mpi",
			"mpirun is not there; remedy: load the module of the MPI, or `make deps`");
	return line[0];
}

/* What a job of all hosts says, and jobs that survive a death. */
static bool check_jobs(const struct request *r)
{
	char dir[SPEC_PATH], from[ALLOCATION_TEXT] = "";
	struct rb_error err;
	struct cleaner cleaner;
	struct hosts hosts;
	bool usable;

	if (cleaner_make_run(&cleaner, r->workdir, true, dir, &err) != RB_OK) {
		doctor_say(DOCTOR_FAIL, "disk", "%s", err.text);
		cleaner_stop(&cleaner);
		return false;
	}
	if (r->hosts && !r->hosts->file && allocation_find(&hosts, from, &err) != RB_OK)
		doctor_say(DOCTOR_WARN, "hosts", "%s", err.text);
	usable = doctor_hosts(r->hosts, r->hosts && r->hosts->file ? r->hosts->file : from, dir) &&
		 doctor_ulfm(r->hosts, dir);
	if (usable)
		doctor_spawn(r->hosts, dir);
	doctor_detector(dir);
	scratch_remove(dir);
	cleaner_stop(&cleaner);
	return usable;
}

int doctor_main(int argc, char **argv)
{
	struct request r = { .np = 9 };
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, NULL, &r, &err);
	bool usable;

	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = mpirun_check(&err);
	if (rc == RB_OK)
		rc = launch_find_hosts(&r.hosts, &err);
	if (rc != RB_OK) {
		fprintf(stderr, "rollbench doctor: %s\n", err.text);
		return 2;
	}
	usable = check_mpi() && doctor_transport() && check_jobs(&r);
	doctor_build();
	doctor_topology();
	doctor_ranks(r.np);
	doctor_meters();
	doctor_power();
	doctor_memory();
	doctor_constants();
	doctor_disk(r.workdir);
	return usable ? 0 : 1;
}

/* The doctor's checks of the MPI: what messages travel by, the hosts, and whether a job survives a
 * death. */
#include "harness/doctor/doctor.h"

#include "base/program.h"
#include "base/status.h"
#include "harness/doctor/doctor_hosts.h"
#include "harness/job/job_log.h"
#include "harness/job/mpirun.h"
#include "harness/job/scratch.h"
#include "harness/machine/pin.h"
#include "harness/transport/transport.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS_OUTPUT = 1 << 18, PATH = SPEC_PATH + 16 };
static const double SKEW_S = 1e-3; /* a spare takes over in 5 to 20 ms */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "?";
}

/* "pml=ob1 (ft-mpi)" */
static void add_list(char *out, size_t size, const char *name, const json_t *one)
{
	size_t used = strlen(out), i;
	const json_t *from;

	used += (size_t)snprintf(out + used, size - used, "%s%s=%s (", used ? ", " : "", name,
				 text_of(one, "value"));
	json_array_foreach(json_object_get(one, "from"), i, from)
		if (used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
						 json_string_value(from));
	if (used < size)
		snprintf(out + used, size - used, ")");
}

bool doctor_transport(void)
{
	const json_t *plan = transport_plan();
	char text[4096] = "", replaced[TRANSPORT_TEXT];
	struct rb_error err;
	const char *name;
	json_t *one;

	if (transport_check(plan, &err) != RB_OK) {
		doctor_say(DOCTOR_FAIL, "transport", "%s", err.text);
		return false;
	}
	json_object_foreach(json_object_get(plan, "use"), name, one)
		if (json_is_true(json_object_get(one, "list")))
			add_list(text, sizeof text, name, one);
	doctor_say(DOCTOR_OK, "transport", "%s", text);
	transport_replaced(plan, replaced);
	if (replaced[0])
		doctor_say(DOCTOR_WARN, "transport", "%s, since a job would not survive a death",
			   replaced);
	if (!json_is_string(json_object_get(plan, "set")))
		doctor_say(
			DOCTOR_WARN, "transport",
			"share/openmpi/amca-param-sets/ft-mpi of the MPI is not found, so nothing "
			"says which components survive a death; remedy: an Open MPI 5 with ULFM");
	return true;
}

static bool say_host(const json_t *host, const char *dir)
{
	const double ahead = json_real_value(json_object_get(host, "ahead_s")),
		     within = json_real_value(json_object_get(host, "within_s"));
	const char *name = text_of(host, "name");

	if (!json_is_true(json_object_get(host, "sees"))) {
		doctor_say(
			DOCTOR_FAIL, "host",
			"%s does not see %s: its processes find neither the description of a run "
			"nor ledgers and checkpoints; remedy: --workdir on a file system that all "
			"hosts share",
			name, dir);
		return false;
	}
	if (text_of(host, "unfit")[0]) {
		doctor_say(DOCTOR_FAIL, "host", "%s: %s", name, text_of(host, "unfit"));
		return false;
	}
	if (fabs(ahead) > SKEW_S + within)
		doctor_say(
			DOCTOR_WARN, "host",
			"%s: its clock is %.4g s %s that of the first host (within %.2g s): times "
			"from a death on one host to what others do are wrong by that, and so may "
			"be their sign; counts are right; remedy: chrony or ntpd on all hosts",
			name, fabs(ahead), ahead > 0 ? "ahead of" : "behind", within);
	else
		doctor_say(
			DOCTOR_OK, "host",
			"%s sees the folder of runs; its clock differs by %.2g s (within %.2g s)",
			name, fabs(ahead), within);
	return true;
}

/* The network of messages is what only a job has in force. */
static void say_in_force(const json_t *answer)
{
	const json_t *settings = json_object_get(answer, "settings");

	doctor_say(
		DOCTOR_OK, "in force", "the MPI says: pml = %s, btl = %s, coll = %s; TCP uses %s",
		text_of(settings, "pml"), text_of(settings, "btl"), text_of(settings, "coll"),
		text_of(settings, "btl_tcp_if_include")[0] ? text_of(settings, "btl_tcp_if_include")
							   : "any network");
}

/* A job did not do what it was to do; output: what it said. The remedy is the one for the cause, or
 * else the usual one. */
static void say_failed(enum finding finding, const char *check, const char *what,
		       const char *output, const char *usual)
{
	char why[JOB_LOG_TEXT];
	const bool remedy = job_log_explain_text(output, why);

	doctor_say(finding, check, "%s; the job said: %s%s%s", what, why,
		   remedy ? "" : "; remedy: ", remedy ? "" : usual);
}

/* The hosts on which the MPI says that it could not start, by their names; else its last line. */
static void say_no_start(char *output, const struct hosts *hosts, const char *dir, bool in_time)
{
	struct hosts copy = { .count = 0 };
	char path[PATH], names[512] = "";
	FILE *f;

	snprintf(path, sizeof path, "%s/output", dir);
	f = fopen(path, "we");
	if (f) {
		fputs(output, f);
		fclose(f);
	}
	if (hosts)
		copy = *hosts;
	hosts_notice(&copy, path, 0);
	for (int i = 0; i < copy.count; i++) {
		size_t used = strlen(names);

		if (copy.host[i].lost)
			snprintf(names + used, sizeof names - used, " %s", copy.host[i].name);
	}
	if (names[0])
		doctor_say(
			DOCTOR_FAIL, "host",
			"mpirun cannot start its daemon on%s; remedy: ssh there without a password "
			"or a batch system that the MPI knows, the MPI at the same path there, and "
			"no such host in the file",
			names);
	else
		say_failed(DOCTOR_FAIL, "job",
			   in_time ? "no process started" : "no process started within 30 s",
			   output, "this program must have the same path on each host");
}

static bool read_answer(char *output, const struct hosts *hosts, const char *dir, bool in_time)
{
	const char *line = strstr(output, DOCTOR_ANSWER);
	json_t *answer =
		line ? json_loads(line + strlen(DOCTOR_ANSWER), JSON_DISABLE_EOF_CHECK, NULL)
		     : NULL;
	const json_t *host;
	bool good = true;
	size_t i;

	if (!answer) {
		say_no_start(output, hosts, dir, in_time);
		return false;
	}
	json_array_foreach(json_object_get(answer, "hosts"), i, host)
		if (hosts)
			good = say_host(host, dir) && good;
		else if (text_of(host, "unfit")[0])
			doctor_say(DOCTOR_FAIL, "in force", "%s", text_of(host, "unfit"));
	if (!hosts && json_array_size(json_object_get(answer, "hosts")) > 0)
		good = !text_of(json_array_get(json_object_get(answer, "hosts"), 0), "unfit")[0];
	if (good)
		say_in_force(answer);
	json_decref(answer);
	return good;
}

static void say_hosts(const struct hosts *hosts, const char *from)
{
	char text[1024] = "";

	for (int i = 0; i < hosts->count; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
			 hosts->host[i].name);
	}
	doctor_say(DOCTOR_OK, "hosts", "%d of %s: %s", hosts->count, from, text);
}

bool doctor_hosts(const struct hosts *hosts, const char *from, const char *dir)
{
	static char output[HOSTS_OUTPUT];
	char placement[PATH], question[PATH];
	const char *const program[] = { program_ranks()->path, "doctor-worker", dir, NULL };
	struct mpirun_job job = { .with_ft = true, .np = 1, .per_core = 1, .program = program };
	struct rb_error err;
	bool in_time;
	FILE *f;

	snprintf(question, sizeof question, "%s/" DOCTOR_QUESTION, dir);
	snprintf(placement, sizeof placement, "%s/placement", dir);
	f = fopen(question, "we");
	if (f)
		fclose(f);
	if (hosts) {
		say_hosts(hosts, from);
		job.placement = placement;
		if (hosts_place_each(hosts, placement, &job.np, &err) != RB_OK) {
			doctor_say(DOCTOR_FAIL, "hosts", "%s", err.text);
			return false;
		}
	}
	in_time = doctor_start(&job, output, sizeof output);
	return read_answer(output, hosts, dir, in_time);
}

/* Three ranks on as many of the hosts as there are. */
static bool probe(const struct hosts *hosts, const char *dir, const char *mode, char *text,
		  size_t size)
{
	char path[PATH], placement[PATH];
	const char *const program[] = { path, mode, NULL };
	struct mpirun_job job = {
		.with_ft = true, .np = 3, .per_core = hosts ? 1 : 3, .program = program
	};
	struct rb_error err;

	doctor_probe_path(path, sizeof path);
	snprintf(placement, sizeof placement, "%s/placement", dir);
	if (hosts && hosts_place(hosts, 3, 0, placement, &err) == RB_OK)
		job.placement = placement;
	return doctor_start(&job, text, size);
}

/* What the probe of three ranks has measured. */
static void say_network(const char *text, bool across)
{
	const char *line = strstr(text, "network ");
	double seconds, rate;

	if (line && sscanf(line, "network %lg %lg", &seconds, &rate) == 2)
		doctor_say(
			DOCTOR_OK, "messages",
			"%.3g us one way between two ranks %s, %.3g GB/s (ping-pong of 8 bytes and "
			"of 256 KiB); the record of each run has those of its job",
			1e6 * seconds, across ? "on two hosts" : "of one host", 1e-9 * rate);
	else
		doctor_say(DOCTOR_WARN, "messages", "the ping-pong of two ranks gave no result");
	if (!across && strstr(text, "no shared memory"))
		doctor_say(DOCTOR_WARN, "messages",
			   "ranks of one host have no shared memory (16 MiB each), so their "
			   "messages travel by TCP; remedy: a larger /dev/shm (`df /dev/shm`; in a "
			   "container --shm-size), and sm in the list btl");
}

bool doctor_ulfm(const struct hosts *hosts, const char *dir)
{
	char text[16384];
	bool in_time = probe(hosts, dir, NULL, text, sizeof text);

	if (strstr(text, "ulfm works")) {
		doctor_say(DOCTOR_OK, "ulfm",
			   "a rank of three was killed; the others noticed, "
			   "shrank and agreed");
		say_network(text, hosts && hosts->count > 1);
		return true;
	}
	say_failed(
		DOCTOR_FAIL, "ulfm",
		in_time ? "a rank of three was killed and the others did not recover"
			: "a rank of three was killed and the others did not recover within 30 s",
		text, "use Open MPI 5 with ULFM (`make deps`, or MPICC=...)");
	return false;
}

/* Check spawning. Runs with spares are possible without it. */
void doctor_spawn(const struct hosts *hosts, const char *dir)
{
	static const char use_spares[] = "use spares (docs/ulfm-notes.md)";
	char text[16384];

	probe(hosts, dir, "spawn", text, sizeof text);
	if (strstr(text, "spawn works 2"))
		doctor_say(DOCTOR_OK, "spawn",
			   "MPI_Comm_spawn replaced a dead rank, and the "
			   "replacement when it died, too (--replace spawn)");
	else if (strstr(text, "spawn works 1"))
		say_failed(DOCTOR_WARN, "spawn",
			   "MPI_Comm_spawn replaced a dead rank once, but not a second time", text,
			   use_spares);
	else
		say_failed(DOCTOR_WARN, "spawn", "MPI_Comm_spawn did not replace a dead rank", text,
			   use_spares);
}

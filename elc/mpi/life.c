/* From MPI_Init() to MPI_Finalize(), and how errors end the job. */
#include "elc/mpi/state.h"

#include "base/clock.h"
#include "elc/elc.h"
#include "elc/files/report.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct elc_global elc;

enum { EXIT_REFUSED = 3 };

/* In one piece: of a message in two, Open MPI's mpirun sometimes prints only the second. */
static void say(const char *text)
{
	char line[2 * ELC_TEXT + 64];
	const int length = snprintf(line, sizeof line, "elc: rank %d: %s\n", elc.rank, text);

	fflush(stderr);
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* nobody can be told */
}

void elc_say(const char *format, ...)
{
	char text[2 * ELC_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	say(text);
}

/* ELC_REPORT, if it is the beginning of a file's name; else NULL. */
static const char *report_prefix(void)
{
	const char *asked = getenv("ELC_REPORT");

	return asked && strchr(asked, '/') ? asked : NULL;
}

static enum elc_form form_asked(void)
{
	const char *asked = getenv("ELC_LOG");

	return asked && strcmp(asked, elc_form_name(ELC_LIST)) == 0 ? ELC_LIST : ELC_COUNTED;
}

/* killed, refused: as in struct elc_report. */
static int report_to(const char *prefix, const char *killed, const char *refused,
		     char why[ELC_TEXT])
{
	const struct elc_counts *c = &elc.counts;
	const bool on = elc.life == ELC_ON;
	const struct elc_report r = {
		.np = elc.np,
		.rank = elc.rank,
		.protocol = elc.process.protocol ? elc.process.protocol->name : "",
		.log = elc_form_name(form_asked()),
		.killed = killed,
		.refused = refused,
		.safe_points = elc.safe_points,
		.restored = on ? elc.restored : -1,
		.line = on ? elc.process.line.committed : -1,
		.events = (int64_t)elc.process.events,
		.committed = c->committed,
		.transit = c->transit,
		.transit_bytes = c->transit_bytes,
		.orphans = c->orphans,
		.results = c->results,
		.served = elc.process.served,
		.identify_s = c->identify,
		.stopped_s = c->stopped,
		.write_s = c->write,
		.line_s = c->line,
		.seconds = on ? clock_monotonic() - elc.began.wall : 0,
		.cpu_s = on ? clock_read(CLOCK_PROCESS_CPUTIME_ID) - elc.began.cpu : 0,
	};

	return elc_report_write(prefix, &r, why);
}

void elc_fatal(const char *format, ...)
{
	const char *prefix = report_prefix();
	char text[2 * ELC_TEXT], why[ELC_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	say(text);
	if (prefix) /* the text has been said, whether or not it can be written */
		report_to(prefix, NULL, text, why);
	PMPI_Abort(MPI_COMM_WORLD, EXIT_REFUSED);
	_exit(EXIT_REFUSED);
}

void elc_check(int rc)
{
	if (rc == -1)
		elc_fatal("out of memory");
	if (rc < 0)
		elc_fatal(
			"a message of the protocol came in a phase in which it is impossible; this "
			"is an error of libelc");
}

int elc_succeeded(int rc, const char *function)
{
	char text[MPI_MAX_ERROR_STRING];
	int n;

	if (rc == MPI_SUCCESS || elc.life == ELC_OFF)
		return rc;
	PMPI_Error_string(rc, text, &n);
	elc_fatal("%s has failed (%s); event-logging checkpoints need calls that succeed", function,
		  text);
}

/* The process that ELC_TEST_KILL kills, if it is this one. */
static struct {
	bool armed;
	int rank;
	/* from this safe point on, -1: from the start; only in this line, -1: in any */
	long long step, line;
	char moment[24];
} death;

static void read_death(void)
{
	const char *text = getenv("ELC_TEST_KILL");
	int n;

	if (!text || !*text)
		return;
	death.step = -1;
	if (sscanf(text, "%d:%23[a-z]:%lld", &death.rank, death.moment, &death.line) != 3) {
		death.line = -1;
		snprintf(death.moment, sizeof death.moment, "start");
		n = sscanf(text, "%d@%lld:%23[a-z]", &death.rank, &death.step, death.moment);
		if (n < 2)
			elc_fatal("ELC_TEST_KILL=%s: this must be RANK:PHASE:LINE, RANK@STEP or "
				  "RANK@STEP:PHASE",
				  text);
	}
	death.armed = death.rank == elc.rank;
}

static void report(const char *killed);

void elc_moment(const char *moment, int64_t line)
{
	if (!death.armed || elc.safe_points <= death.step ||
	    (death.line >= 0 && line != death.line) || strcmp(moment, death.moment))
		return;
	report(moment);
	raise(SIGKILL);
}

/* The program's name without its folders. */
static void set_owner(void)
{
	char path[ELC_PATH];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	elc.owner = (struct elc_owner){ .np = elc.np, .rank = elc.rank };
	snprintf(elc.owner.program, sizeof elc.owner.program, "%.*s", ELC_PROGRAM - 1,
		 strrchr(path, '/') ? strrchr(path, '/') + 1 : "?");
}

static enum elc_form form(void)
{
	const char *asked = getenv("ELC_LOG");

	if (asked && *asked && strcmp(asked, elc_form_name(form_asked())))
		elc_fatal("ELC_LOG=%s: this must be counted or list", asked);
	return form_asked();
}

static const struct elc_protocol *protocol(void)
{
	const char *asked = getenv("ELC_PROTOCOL");
	const struct elc_protocol *p = asked && *asked ? elc_protocol_named(asked) : &elc_events;

	if (!p)
		elc_fatal("ELC_PROTOCOL=%s: this must be events, tagging, tagging-copy or markers",
			  asked);
	return p;
}

/* A stamp that the other process does not expect would be taken for its data. */
static void check_same_protocol(const char *name)
{
	char other[ELC_PROTOCOL] = "";
	int same, all;

	snprintf(other, sizeof other, "%s", name);
	PMPI_Bcast(other, sizeof other, MPI_CHAR, 0, elc.control);
	same = strcmp(other, name) == 0;
	PMPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, elc.control);
	if (!all)
		elc_fatal("ELC_PROTOCOL=%s here, and %s at rank 0: it must be the same in all "
			  "processes",
			  name, other);
}

/* Held messages are unpacked, which is right where packing adds nothing to the bytes of the
 * elements. */
static void check_packing(void)
{
	const double value[3] = { 1, 2, 3 };
	char room[256];
	int used = 0;

	PMPI_Pack(value, 3, MPI_DOUBLE, room, sizeof room, &used, MPI_COMM_SELF);
	if (used != (int)sizeof value || memcmp(room, value, sizeof value))
		elc_fatal("this MPI packs data in a representation of its own (MPI_Pack), which "
			  "event-logging checkpoints do not cover");
}

static void begin(void)
{
	const char *dir = getenv("ELC_DIR");
	MPI_Comm parent;

	if (!dir || !*dir)
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &elc.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &elc.np);
	PMPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		elc_fatal(
			"MPI_Comm_spawn is not covered by event-logging checkpoints: this process "
			"was spawned");
	if (snprintf(elc.dir, sizeof elc.dir, "%s", dir) >= (int)sizeof elc.dir)
		elc_fatal("ELC_DIR is longer than %zu bytes", sizeof elc.dir - 1);
	set_owner();
	read_death();
	check_packing();
	PMPI_Comm_dup(MPI_COMM_WORLD, &elc.control);
	snprintf(elc.owner.protocol, sizeof elc.owner.protocol, "%s",
		 protocol()->same ? protocol()->same : protocol()->name);
	check_same_protocol(protocol()->name);
	elc_check(elc_process_init(&elc.process, elc.np, elc.rank, protocol(), form(), 0));
	elc_comms_begin();
	elc_line_begin();
	elc.life = ELC_SETUP;
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
	const int rc = PMPI_Init(argc, argv);

	if (rc == MPI_SUCCESS)
		begin();
	return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	const int rc = PMPI_Init_thread(argc, argv, required, provided);

	if (rc != MPI_SUCCESS)
		return rc;
	begin();
	if (elc.life != ELC_OFF && required == MPI_THREAD_MULTIPLE)
		elc_fatal(
			"MPI_Init_thread with MPI_THREAD_MULTIPLE is not covered by event-logging "
			"checkpoints: the order of events of several threads is not known; "
			"MPI_THREAD_SERIALIZED is");
	return rc;
}

/* What is sent in the set-up is sent again after a restart. So it must be received in the set-up,
 * too. */
static void check_setup(void)
{
	struct elc_set *sent = calloc((size_t)elc.np, sizeof *sent),
		       *request = calloc((size_t)elc.np, sizeof *request);

	if (!sent || !request)
		elc_check(-1);
	if (elc_requests_active())
		elc_fatal("%zu requests are active at elc_restarted(): complete them before",
			  elc_requests_active());
	if (elc.process.matched)
		elc_fatal("%zu messages that matched probes have found are not received at "
			  "elc_restarted(): receive them before",
			  elc.process.matched);
	for (int r = 0; r < elc.np; r++)
		elc_check(elc_log_close(&elc.process.with[r].sent, &sent[r]));
	elc_exchange_sets(sent, request);
	for (int r = 0; r < elc.np; r++) {
		struct elc_set received, transit, orphan;

		elc_set_init(&transit, elc.process.form);
		elc_set_init(&orphan, elc.process.form);
		elc_check(elc_log_close(&elc.process.with[r].received, &received));
		elc_check(elc_identify(&request[r], &received, &transit, &orphan));
		if (transit.n || orphan.n)
			elc_fatal(
				"a message of rank %d to this rank with tag %d was sent %s "
				"elc_restarted() and received %s: messages must not cross the end "
				"of the set-up%s",
				r, elc_key_tag((transit.n ? transit : orphan).entry[0].key),
				transit.n ? "before" : "after",
				transit.n ? "after it" : "before it",
				elc.process.protocol == &elc_events
					? ""
					: " (its tag is known with ELC_PROTOCOL=events only)");
		elc_set_free(&transit);
		elc_set_free(&orphan);
		elc_set_free(&sent[r]);
	}
	free(sent);
	free(request);
}

/* All processes have been in the barrier at the end of elc_restarted(). */
static void report_begin(void)
{
	const char *prefix = report_prefix();
	char why[ELC_TEXT];

	if (elc.rank == 0 && prefix && elc_report_begin(prefix, why))
		elc_fatal("%s", why);
}

EXPORT long elc_restarted(void)
{
	int64_t line;

	if (elc.life == ELC_OFF)
		return 0;
	if (elc.life == ELC_ON)
		elc_fatal("elc_restarted() is called twice");
	check_setup();
	line = elc_restore();
	if (line == 0)
		elc_comms_count();
	PMPI_Barrier(elc.control);
	report_begin();
	elc.life = ELC_ON;
	elc.restored = line;
	elc.comms_sum = elc_comms_sum();
	elc.began.wall = clock_monotonic();
	elc.began.cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID);
	return (long)line;
}

/* Messages of the protocol may still be on their way. All processes are here, so a line that some
 * have not cut for is given up. */
static void settle(void)
{
	MPI_Request all;
	int there = 0;

	PMPI_Ibarrier(elc.control, &all);
	while (!there) {
		elc_progress();
		PMPI_Test(&all, &there, MPI_STATUS_IGNORE);
	}
	elc.ending = true;
	do
		elc_progress();
	while (elc_control_balance() != 0);
	elc_control_end();
}

/* After a restart: has every message come again that other processes had received already? */
static void check_repeated(void)
{
	for (int r = 0; r < elc.np; r++) {
		const struct elc_sums *s = &elc.process.with[r].expected;

		if (s->left)
			elc_fatal("this program does not repeat its messages: before a line was "
				  "restored, rank %d had received %zu messages that were not sent "
				  "again, the first with tag %d on communicator %u",
				  r, s->left, elc_key_tag(elc_sums_first(s)->key),
				  elc_key_comm(elc_sums_first(s)->key));
	}
	for (const struct elc_collectives *c = elc.process.collectives; c; c = c->next)
		if (elc_collective_next(c))
			elc_fatal("this program does not repeat its collective functions: others "
				  "have results of functions on communicator %u that this process "
				  "has not called again, the first is %s",
				  c->comm, elc_collective_next(c)->part.function);
}

/* For those who measure: what this process has done, on stderr (ELC_REPORT=1) or in a file
 * (ELC_REPORT=PREFIX with a slash in it). A process that is killed now reports only to a file. */
static void report(const char *killed)
{
	const struct elc_counts *c = &elc.counts;
	const char *asked = getenv("ELC_REPORT"), *prefix = report_prefix();
	char why[ELC_TEXT];

	if (prefix && report_to(prefix, killed, NULL, why))
		elc_fatal("%s", why);
	if (!prefix && asked && *asked && *asked != '0' && !killed)
		elc_say("counted protocol %s events %lld safe_points %lld committed %lld transit %lld transit_bytes "
			"%lld orphans %lld results %lld served %lld identify_s %.6f stopped_s %.6f "
			"write_s %.6f line_s %.6f",
			elc.process.protocol->name, (long long)elc.process.events,
			(long long)elc.safe_points, (long long)c->committed, (long long)c->transit,
			(long long)c->transit_bytes, (long long)c->orphans, (long long)c->results,
			(long long)elc.process.served, c->identify, c->stopped, c->write, c->line);
}

static void end(void)
{
	const bool on = elc.life == ELC_ON;

	if (on) {
		settle();
		check_repeated();
		if (elc.postponed && elc.process.line.committed == 0)
			elc_say("no line was committed, and at %ld safe points where one was due "
				"requests were active: move the safe points to where none is",
				elc.postponed);
		elc_line_end();
		report(NULL);
	}
	elc.life = ELC_OFF;
	elc_matches_end();
	PMPI_Comm_free(&elc.control);
	elc_process_free(&elc.process);
}

EXPORT int MPI_Finalize(void)
{
	if (elc.life != ELC_OFF)
		end();
	return PMPI_Finalize();
}

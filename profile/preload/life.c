/* From MPI_Init() to MPI_Finalize(), where rank 0 gathers what all have counted and writes the
 * profile. */
#include "profile/preload/preload.h"

#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* All calls of the library use this communicator. It is made while all processes live, and its
 * errors are returned: whether a death ends the program is the program's choice, also where its own
 * communicators survive and MPI_COMM_WORLD is left as it was. */
static MPI_Comm own = MPI_COMM_NULL;

static int make_own(void)
{
	MPI_Errhandler before;
	int rc = PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);

	if (rc != MPI_SUCCESS)
		return rc;
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	/* Unlike a duplicate, it does not copy the program's attributes. */
	rc = PMPI_Comm_split(MPI_COMM_WORLD, 0, recorder.rank, &own);
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
	PMPI_Errhandler_free(&before);
	return rc == MPI_SUCCESS ? PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN) : rc;
}

static void name_claim(char claim[RECORDER_PATH + 8], const char *path)
{
	snprintf(claim, RECORDER_PATH + 8, "%s.begun", path);
}

/* If a command runs several MPI programs, also at the same time, the first to begin is the one that
 * is profiled. A file says that it has begun, until the profile itself does. */
static bool claim(const char *path)
{
	char begun[RECORDER_PATH + 8];
	int fd;

	name_claim(begun, path);
	fd = open(begun, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && access(path, F_OK) != 0)
		return true;
	if (fd >= 0)
		unlink(begun);
	if (fd < 0 && errno != EEXIST)
		fprintf(stderr, "rollbench profile: %s: %s\n", begun, strerror(errno));
	else
		fprintf(stderr,
			"rollbench profile: %s is of an MPI program that began earlier, so this "
			"one is not profiled; profile one program at a time\n",
			path);
	return false;
}

/* May a profile be written? Rank 0 decides for all. */
static int agree_to_begin(void)
{
	const char *path = getenv("ROLLBENCH_PROFILE");
	int begin = path && path[0] && strlen(path) < sizeof recorder.path - 32 &&
		    recorder.np <= PROFILE_RANKS_MAX;

	if (recorder.rank == 0 && begin)
		begin = claim(path);
	if (PMPI_Bcast(&begin, 1, MPI_INT, 0, own) != MPI_SUCCESS)
		begin = 0;
	if (begin && path)
		snprintf(recorder.path, sizeof recorder.path, "%s", path);
	return begin && path;
}

void life_begin(int provided)
{
	MPI_Comm parent;

	PMPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		return; /* MPI_COMM_WORLD of spawned processes is another one */
	PMPI_Comm_rank(MPI_COMM_WORLD, &recorder.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &recorder.np);
	if (make_own() != MPI_SUCCESS || !agree_to_begin())
		return;
	ranks_begin();
	recorder.threads = provided == MPI_THREAD_MULTIPLE;
	recorder.on = true;
	spill_watch();
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
	const int rc = PMPI_Init(argc, argv);

	if (rc == MPI_SUCCESS)
		life_begin(MPI_THREAD_SINGLE);
	return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	const int rc = PMPI_Init_thread(argc, argv, required, provided);

	if (rc == MPI_SUCCESS)
		life_begin(*provided);
	return rc;
}

EXPORT int MPI_Pcontrol(const int level, ...)
{
	recorder_phase(level);
	return PMPI_Pcontrol(level);
}

void abort_called(int code)
{
	char reason[64];

	snprintf(reason, sizeof reason, "called MPI_Abort(%d)", code);
	spill(reason);
}

EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
	abort_called(code);
	return PMPI_Abort(comm, code);
}

/* What a rank tells rank 0 before its cells. */
struct summary {
	int64_t messages, collectives, outside, outside_bytes, one_sided, one_sided_bytes, lost;
};

static struct summary summary(void)
{
	return (struct summary){ (int64_t)recorder.messages.used,
				 (int64_t)recorder.collectives.used,
				 recorder.outside,
				 recorder.outside_bytes,
				 recorder.one_sided,
				 recorder.one_sided_bytes,
				 recorder.lost };
}

enum { TAG = 1, CELLS_AT_ONCE = 1 << 24 };

static int send_cells(const struct cell *c, int64_t n)
{
	int rc = MPI_SUCCESS;

	for (int64_t i = 0; rc == MPI_SUCCESS && i < n; i += CELLS_AT_ONCE) {
		const int64_t now = n - i < CELLS_AT_ONCE ? n - i : CELLS_AT_ONCE;

		rc = PMPI_Send((void *)(c + i), (int)(now * (int64_t)sizeof *c), MPI_BYTE, 0, TAG,
			       own);
	}
	return rc;
}

/* Is the profile written? Rank 0 answers every rank that lives. */
static bool hand_over(void)
{
	struct summary s = summary();
	int written = 0, rc = PMPI_Send(&s, (int)sizeof s, MPI_BYTE, 0, TAG, own);

	if (rc == MPI_SUCCESS)
		rc = send_cells(recorder.messages.cell, s.messages);
	if (rc == MPI_SUCCESS)
		rc = send_cells(recorder.collectives.cell, s.collectives);
	if (rc == MPI_SUCCESS)
		rc = PMPI_Recv(&written, 1, MPI_INT, 0, TAG, own, MPI_STATUS_IGNORE);
	return rc == MPI_SUCCESS && written;
}

static bool add_message(struct profile *p, int rank, const struct cell *c)
{
	return profile_add_channel(p, &(struct profile_channel){ key_phase(c->key), rank,
								 key_rank(c->key), c->count,
								 c->bytes }) == 0;
}

static bool add_collective(struct profile *p, int rank, const struct cell *c)
{
	struct profile_collective o = { key_phase(c->key), rank,    key_size(c->key), "",
					c->count,          c->bytes };

	snprintf(o.kind, sizeof o.kind, "%s", kind_names[key_kind(c->key)]);
	return profile_add_collective(p, &o) == 0;
}

typedef bool add_cell(struct profile *p, int rank, const struct cell *c);

/* What cannot be entered is received all the same, as the rank waits for that. */
static bool receive_cells(struct profile *p, int rank, int64_t n, add_cell *add)
{
	struct cell *c = malloc((size_t)(n < CELLS_AT_ONCE ? n : CELLS_AT_ONCE) * sizeof *c + 1);
	bool received = c, added = true;

	for (int64_t i = 0; received && i < n; i += CELLS_AT_ONCE) {
		const int64_t now = n - i < CELLS_AT_ONCE ? n - i : CELLS_AT_ONCE;

		received = PMPI_Recv(c, (int)(now * (int64_t)sizeof *c), MPI_BYTE, rank, TAG, own,
				     MPI_STATUS_IGNORE) == MPI_SUCCESS;
		for (int64_t k = 0; received && added && k < now; k++)
			added = add(p, rank, &c[k]);
	}
	free(c);
	return received && added;
}

static bool receive(struct profile *p, int rank, struct summary *s)
{
	bool there = PMPI_Recv(s, (int)sizeof *s, MPI_BYTE, rank, TAG, own, MPI_STATUS_IGNORE) ==
		     MPI_SUCCESS;

	there = there && receive_cells(p, rank, s->messages, add_message);
	return there && receive_cells(p, rank, s->collectives, add_collective);
}

/* Rank 0: the cells of all ranks are entered in p; *all: the summaries added up. false: some rank
 * is dead, or there is no memory. */
static bool gather(struct profile *p, struct summary *all)
{
	bool there = true;

	*all = summary();
	for (int64_t i = 0; i < all->messages; i++)
		there = there && add_message(p, 0, &recorder.messages.cell[i]);
	for (int64_t i = 0; i < all->collectives; i++)
		there = there && add_collective(p, 0, &recorder.collectives.cell[i]);
	for (int r = 1; r < recorder.np; r++) {
		struct summary s = { 0 };

		there = receive(p, r, &s) && there;
		all->outside += s.outside;
		all->outside_bytes += s.outside_bytes;
		all->one_sided += s.one_sided;
		all->one_sided_bytes += s.one_sided_bytes;
		all->lost |= s.lost;
	}
	profile_sort(p);
	return there;
}

/* The program and its arguments, as this process was started. */
static void set_command(struct profile *p)
{
	char line[1 << 16];
	FILE *from = fopen("/proc/self/cmdline", "r");
	const size_t n = from ? fread(line, 1, sizeof line - 1, from) : 0;
	size_t program = 0;

	if (from)
		fclose(from);
	line[n] = '\0';
	program = strlen(line);
	profile_set(p, "program", line);
	for (size_t i = program + 1; i + 1 < n; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	profile_set(p, "arguments", program + 1 < n ? line + program + 1 : "");
}

static void set_number(struct profile *p, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)value);
	profile_set(p, name, text);
}

/* What the rows lack. */
static void set_lacks(struct profile *p, const struct summary *all)
{
	char text[160];

	if (all->one_sided > 0)
		snprintf(text, sizeof text,
			 "%lld calls of one-sided communication with %lld bytes are in no row%s",
			 (long long)all->one_sided, (long long)all->one_sided_bytes,
			 all->lost ? ", and some calls were not counted for want of memory" : "");
	else if (all->lost)
		snprintf(text, sizeof text, "some calls were not counted for want of memory");
	else
		return;
	profile_set_incomplete(p, text);
}

static void set_header(struct profile *p, const struct summary *all)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	const time_t now = time(NULL);
	int length;

	set_command(p);
	gethostname(text, sizeof text - 1);
	profile_set(p, "host", text);
	PMPI_Get_library_version(text, &length);
	profile_set(p, "mpi", text);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	profile_set(p, "date", text);
	set_number(p, "outside_messages", all->outside);
	set_number(p, "outside_bytes", all->outside_bytes);
	set_number(p, "one_sided_calls", all->one_sided);
	set_number(p, "one_sided_bytes", all->one_sided_bytes);
	set_lacks(p, all);
}

static bool write_profile(const struct profile *p)
{
	char fresh[RECORDER_PATH + 8], begun[RECORDER_PATH + 8];
	bool written;
	FILE *to;

	snprintf(fresh, sizeof fresh, "%s.new", recorder.path);
	to = fopen(fresh, "we");
	if (!to) {
		perror(fresh);
		return false;
	}
	profile_print(p, to);
	written = !ferror(to);
	written = fclose(to) == 0 && written && rename(fresh, recorder.path) == 0;
	if (!written)
		perror(recorder.path);
	name_claim(begun, recorder.path);
	if (written)
		unlink(begun);
	return written;
}

static bool collect(void)
{
	struct profile p;
	struct summary all;
	int written;

	if (recorder.rank > 0)
		return hand_over();
	profile_init(&p, recorder.np);
	written = gather(&p, &all);
	if (written) {
		set_header(&p, &all);
		written = write_profile(&p);
	}
	profile_free(&p);
	for (int r = 1; r < recorder.np; r++)
		PMPI_Send(&written, 1, MPI_INT, r, TAG, own);
	return written;
}

/* Only messages between two ranks: where some are dead, collective functions fail on some ranks and
 * not on others. */
void life_end(void)
{
	if (!recorder.on)
		return;
	recorder_inside++;
	table_finish(&recorder.messages);
	table_finish(&recorder.collectives);
	if (collect())
		PMPI_Comm_free(&own);
	else
		spill("could not be gathered in MPI_Finalize");
	recorder.on = false;
}

EXPORT int MPI_Finalize(void)
{
	life_end();
	return PMPI_Finalize();
}

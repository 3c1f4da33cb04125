#include "harness/doctor/doctor_hosts.h"

#include "base/clock.h"
#include "base/end_with_parent.h"
#include "base/error.h"
#include "base/status.h"
#include "harness/transport/settings.h"
#include "harness/transport/transport.h"

#include <float.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 50, TAG = 1, NAME = 64 };

struct seen {
	char name[NAME];
	int sees;
	double ahead, within;
	struct rb_error unfit; /* "": nothing */
};

/* Rank 0 asks for the time; the middle of the shortest round trip is when the other read its
 * clock. */
static void compare_clocks(struct seen *s, int partner)
{
	double best = DBL_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		double before = clock_now(), theirs, after;

		MPI_Send(&before, 1, MPI_DOUBLE, partner, TAG, MPI_COMM_WORLD);
		MPI_Recv(&theirs, 1, MPI_DOUBLE, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		after = clock_now();
		if (after - before >= best)
			continue;
		best = after - before;
		s->ahead = theirs - (before + after) / 2;
		s->within = best / 2;
	}
}

/* $ROLLBENCH_TEST_AHEAD: "HOST SECONDS": that host's clock counts as ahead, to test what is said of
 * it. */
static double own_time(const char *name)
{
	const char *given = getenv("ROLLBENCH_TEST_AHEAD");
	char host[NAME];
	double ahead;

	return given && sscanf(given, "%63s %lf", host, &ahead) == 2 && strcmp(host, name) == 0
		       ? clock_now() + ahead
		       : clock_now();
}

static void answer(const char *name)
{
	for (int i = 0; i < ROUNDS; i++) {
		double theirs;

		MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		theirs = own_time(name);
		MPI_Send(&theirs, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
	}
}

/* Few enough that the line is written at once. */
static json_t *said_of(const json_t *settings)
{
	static const char *const names[] = { "pml", "btl", "coll", "btl_tcp_if_include" };
	json_t *said = json_object();

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		json_object_set(said, names[i], json_object_get(settings, names[i]));
	return said;
}

static void say(const struct seen *all, int size, const json_t *settings)
{
	json_t *hosts = json_array(), *whole;
	char *text;

	for (int i = 0; i < size; i++)
		json_array_append_new(hosts, json_pack("{s:s, s:b, s:f, s:f, s:s}", "name",
						       all[i].name, "sees", all[i].sees, "ahead_s",
						       all[i].ahead, "within_s", all[i].within,
						       "unfit", all[i].unfit.text));
	whole = json_pack("{s:o, s:o}", "hosts", hosts, "settings", said_of(settings));
	text = json_dumps(whole, JSON_COMPACT);
	printf("%s%s\n", DOCTOR_ANSWER, text ? text : "{}");
	fflush(stdout);
	free(text);
	json_decref(whole);
}

int doctor_worker_main(const char *dir)
{
	struct seen mine = { .ahead = 0 }, *all;
	char path[4096];
	int rank, size;
	json_t *settings;

	end_with_parent(getppid());
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	all = calloc((size_t)size, sizeof *all);
	if (!all)
		MPI_Abort(MPI_COMM_WORLD, 4);
	gethostname(mine.name, sizeof mine.name - 1);
	snprintf(path, sizeof path, "%s/" DOCTOR_QUESTION, dir);
	mine.sees = access(path, R_OK) == 0;
	settings = settings_in_force();
	if (transport_judge(settings, &mine.unfit) == RB_OK)
		mine.unfit.text[0] = '\0';
	MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
	for (int i = 1; i < size; i++) {
		if (rank == 0)
			compare_clocks(&all[i], i);
		if (rank == i)
			answer(mine.name);
	}
	if (rank == 0)
		say(all, size, settings);
	json_decref(settings);
	free(all);
	MPI_Finalize();
	return 0;
}

/* Hard disks in a periodic box, by the Monte Carlo method; they cover half of the area and start
 * from a triangular lattice. A sweep cuts the box into an even number of strips at a random place;
 * first the strips of even number are moved, then those of odd number, while the others rest.
 * Process 0, the master, deals strips to workers, which move each of its disks once a pass, and
 * takes answers from any worker as they come.
 *
 * The tag of an answer names its half sweep. Without that, a restarted master could get answers of
 * the next half sweep before it has dealt this half sweep's last strips: in a recovery line,
 * workers may be ahead of the master (docs/event-logging.md, wildcards).
 *
 * Strips that move are too far apart to touch, and each has random numbers of its own. So the
 * result depends neither on the order of the answers nor on the number of processes. With --deal 0,
 * what is sent to a worker does not depend on the order either, as event-logging checkpoints need
 * it. With --deal 1, the next strip goes to whoever has answered. */
#include "elc/elc.h"
#include "elc/programs/strips.h"

#include <mpi.h>

#include <stdlib.h>
#include <string.h>

/* tags: those of answers go from ANSWER to ANSWER + ANSWERS - 1 */
enum { TASK = 1, STOP, ANSWER, ANSWERS = 30000 };

static long edge = 16, sweeps = 100, passes = 1, first_come;

static const struct argument OWN[] = {
	{ "size", &edge, 8, 1000, "disks along an edge of the lattice; even" },
	{ "sweeps", &sweeps, 1, 100000000, "sweeps" },
	{ "passes", &passes, 1, 1000, "moves of a disk in a sweep" },
	{ "deal", &first_come, 0, 1,
	  "0: strips go to workers in turn; 1: to whoever has answered" },
	{ NULL, NULL, 0, 0, NULL },
};
static const struct program PROGRAM = {
	.name = "disks",
	.own = OWN,
	.text = "Moves hard disks: a master deals strips of the box to workers. Checks: no disks "
		"overlap, and every disk was tried.",
};

/* The state of the master, and of a worker only done. */
static struct {
	long half;           /* half sweeps that are finished */
	long next, returned; /* of this half sweep: strips dealt with --deal 1; answers */
	long tried, accepted;
	long done; /* answers of this worker */
} now;
static struct disk *disks;
static long *dealt, *answered; /* per worker, in this half sweep */

static struct box box;
static double *text; /* of a message */

/* Strips that move in this half sweep: every second one. */
static long moving(void)
{
	return box.strips / 2;
}

static int answer_tag(long half)
{
	return (int)(ANSWER + half % ANSWERS);
}

/* The strip that is the n-th of this worker, or -1. */
static long strip_of_worker(int worker)
{
	const long n = first_come ? now.next : worker - 1 + dealt[worker] * (np - 1);

	return n < moving() ? 2 * n + now.half % 2 : -1;
}

static double origin(void)
{
	uint64_t state = draw(0, (uint64_t)(now.half / 2), 0);

	return next_uniform(&state) * box.width;
}

/* Header: which strip of which half sweep, the origin of the strips, how many disks move and how
 * many rest. Then the disks. */
static void deal(int worker)
{
	const long strip = strip_of_worker(worker);
	long n = HEADER, move = 0, rest = 0;

	if (strip < 0)
		return;
	for (int resting = 0; resting < 2; resting++)
		for (long i = 0; i < box.disks; i++) {
			const enum place place = strip_place(&box, origin(), strip, disks[i]);

			if (place != (resting ? BESIDE : INSIDE))
				continue;
			memcpy(text + n, &disks[i], sizeof disks[i]);
			n += 2;
			*(resting ? &rest : &move) += 1;
		}
	memcpy(text,
	       (double[HEADER]){ (double)now.half, (double)strip, origin(), (double)move,
				 (double)rest, (double)passes },
	       HEADER * sizeof *text);
	MPI_Send(text, (int)n, MPI_DOUBLE, worker, TASK, MPI_COMM_WORLD);
	dealt[worker]++;
	now.next++;
}

/* The disks of a strip come back in the order of their numbers; they are still in it. */
static void take_answer(void)
{
	const struct disk *moved = (const struct disk *)(text + HEADER);
	MPI_Status status;

	MPI_Recv(text, (int)(HEADER + 2 * box.disks), MPI_DOUBLE, MPI_ANY_SOURCE,
		 answer_tag(now.half), MPI_COMM_WORLD, &status);
	require((long)text[0] == now.half, "an answer of another half sweep");
	for (long i = 0; i < box.disks; i++)
		if (strip_place(&box, origin(), (long)text[1], disks[i]) == INSIDE)
			disks[i] = *moved++;
	require(moved == (const struct disk *)(text + HEADER) + (long)text[3],
		"an answer with other disks than its strip has");
	now.tried += (long)text[3] * passes;
	now.accepted += (long)text[4];
	answered[status.MPI_SOURCE]++;
	now.returned++;
}

static void be_master(void)
{
	while (now.half < 2 * sweeps) {
		safe_point(now.half, 2 * sweeps);
		for (int w = 1; w < np; w++)
			if (dealt[w] == answered[w])
				deal(w);
		take_answer();
		if (now.returned == moving()) {
			now.half++;
			now.next = now.returned = 0;
			memset(dealt, 0, 2 * (size_t)np * sizeof *dealt); /* and answered */
		}
	}
	for (int w = 1; w < np; w++)
		MPI_Send(NULL, 0, MPI_DOUBLE, w, STOP, MPI_COMM_WORLD);
}

static void be_worker(void)
{
	for (;; now.done++) {
		MPI_Status status;
		int n;

		safe_point(now.done, 2 * sweeps * moving() / (np - 1) + 1);
		MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_DOUBLE, &n);
		MPI_Recv(text, n, MPI_DOUBLE, 0, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (status.MPI_TAG == STOP)
			break;
		strip_move(&box, text);
		MPI_Send(text, (int)(HEADER + 2 * text[3]), MPI_DOUBLE, 0,
			 answer_tag((long)text[0]), MPI_COMM_WORLD);
	}
}

static void set_up(void)
{
	require(np > 1, "disks needs a master and a worker: two processes at least");
	require(edge % 2 == 0, "--size must be even, so that the lattice is periodic");
	box = make_box(edge);
	text = zeros((size_t)(HEADER + 2 * box.disks), sizeof *text);
	elc_protect(1, &now, sizeof now);
	if (rank > 0)
		return;
	disks = zeros((size_t)box.disks, sizeof *disks);
	place_on_lattice(edge, disks);
	dealt = zeros(2 * (size_t)np, sizeof *dealt);
	answered = dealt + np;
	elc_protect(2, disks, (size_t)box.disks * sizeof *disks);
	elc_protect(3, dealt, 2 * (size_t)np * sizeof *dealt);
}

static bool right(void)
{
	for (long i = 0; i < box.disks; i++)
		for (long j = 0; j < i; j++)
			if (disks_overlap(&box, disks[i], disks[j]))
				return false;
	return now.tried == box.disks * sweeps * passes && now.accepted > 0 &&
	       now.accepted < now.tried;
}

int main(int argc, char **argv)
{
	uint64_t hash = 0;
	bool good = true;

	begin(&argc, &argv, &PROGRAM);
	set_up();
	set_up_done();
	if (rank == 0)
		be_master();
	else
		be_worker();
	computed();
	if (rank == 0) {
		hash = mix(mix_doubles(0, &disks->x, 2 * (size_t)box.disks),
			   (uint64_t)now.accepted);
		good = right();
	}
	free(disks);
	free(dealt);
	free(text);
	return end(&PROGRAM, edge, hash, good);
}

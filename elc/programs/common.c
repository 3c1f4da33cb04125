/* Arguments, random numbers, lines and figures of the four programs. */
#include "elc/programs/common.h"

#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank, np;
long seed = 1;

static long wanted_lines, every, check_for;
/* the line of the restart; lines that this process has had its part in, those before included */
static long restored, cuts;
static double begun, seconds;

static const struct argument SHARED[] = {
	{ "seed", &seed, 0, 1000000000, "of all random numbers" },
	{ "lines", &wanted_lines, 0, 1000,
	  "recovery lines that the program asks for, at places drawn from the seed" },
	{ "every", &every, 0, 1000000000,
	  "steps between lines that the program asks for; 0: as --lines says" },
	{ "check", &check_for, 0, 1 << 20,
	  "only check the arguments, for so many processes, without MPI; 0: run" },
	{ NULL, NULL, 0, 0, NULL },
};

static const struct argument *find(const struct argument *all, const char *name)
{
	for (; all && all->name; all++)
		if (strcmp(all->name, name) == 0)
			return all;
	return NULL;
}

static void describe(const struct argument *all)
{
	for (; all && all->name; all++)
		printf("  --%-10s %s (%ld to %ld; default %ld)\n", all->name, all->meaning,
		       all->least, all->most, *all->value);
}

static void help(const struct program *p)
{
	printf("usage: mpirun -n PROCESSES %s [--NAME NUMBER ...]\n\n%s\n\n", p->name, p->text);
	if (p->describe)
		p->describe();
	describe(p->own);
	describe(SHARED);
	printf("\nIt prints one line: the program, np, size, a hash of the result, whether the checks hold, seconds without the set-up,\n"
	       "the line from which it was restarted (0: none), and how many lines process 0 has taken part in.\n"
	       "With ELC_DIR=FOLDER, a killed program goes on when it is started again. Exit status: 0, 1 where a check fails, 2 for wrong\n"
	       "arguments.\n");
	exit(0);
}

__attribute__((noreturn)) static void refuse(const struct program *p, const char *name,
					     const char *value, const char *why)
{
	fprintf(stderr, "%s: %s%s%s: %s\n", p->name, name, value ? " " : "", value ? value : "",
		why);
	exit(2);
}

static void read_number(const struct program *p, const char *name, const char *value)
{
	const struct argument *a =
		find(p->own, name + 2) ? find(p->own, name + 2) : find(SHARED, name + 2);
	char why[96], *rest = NULL;

	if (!a)
		refuse(p, name, NULL, "no such argument; see --help");
	*a->value = strtol(value, &rest, 10);
	snprintf(why, sizeof why, "must be a whole number from %ld to %ld", a->least, a->most);
	if (rest == value || *rest || *a->value < a->least || *a->value > a->most)
		refuse(p, name, value, why);
}

static void read_arguments(int argc, char **argv, const struct program *p)
{
	for (int i = 1; i < argc; i += 2) {
		const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (strcmp(name, "--help") == 0)
			help(p);
		if (strncmp(name, "--", 2))
			refuse(p, name, NULL, "no such argument; see --help");
		if (!value)
			refuse(p, name, NULL, "a value is missing; see --help");
		if (!p->take || !p->take(name + 2, value))
			read_number(p, name, value);
	}
	if (check_for)
		exit(!p->check || p->check(check_for, wanted_lines) ? 0 : 2);
}

void begin(int *argc, char ***argv, const struct program *p)
{
	read_arguments(*argc, *argv, p);
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	if (p->check && !p->check(np, wanted_lines))
		MPI_Abort(MPI_COMM_WORLD, 2);
}

void require(bool holds, const char *words)
{
	if (holds)
		return;
	fprintf(stderr, "rank %d: %s\n", rank, words);
	MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Where malloc() puts an array depends on what the libraries of a process allocate, and by that
 * alone the product of matrices took 1.0 or 1.4 times as long, with the library linked or without
 * it. Multiples of a cache line were not enough: loads wait for earlier stores with the same last
 * 12 bits of their addresses, and the product took 1.12 times as long where the library's own
 * memory had moved a column of the result 64 bytes ahead of a column of the factor. So arrays that
 * are longer than a page begin at one, and these bits do not depend on other libraries. */
void *zeros(size_t n, size_t bytes)
{
	enum { CACHE_LINE = 64, PAGE = 4096 };
	const size_t align = n > PAGE / bytes ? PAGE : CACHE_LINE,
		     size = ((n ? n : 1) * bytes + align - 1) / align * align;
	void *memory = n <= (SIZE_MAX - align) / bytes ? aligned_alloc(align, size) : NULL;

	require(memory, "out of memory");
	return memset(memory, 0, size);
}

void set_up_done(void)
{
	/* libelc lets nobody out of elc_restarted() before all are there. Without the library, too,
	 * the clock of process 0 must not begin while others still set up, and the others must not
	 * begin their work before it: a worker of the product of matrices had done 2 ms of its. */
	MPI_Barrier(MPI_COMM_WORLD);
	restored = cuts = elc_restarted();
	begun = MPI_Wtime();
}

/* How many of the wanted lines have their place at or before this part of the work? */
static long places_until(double part)
{
	long n = 0;

	for (long i = 0; i < wanted_lines; i++)
		n += (double)(draw(UINT64_C(0x6c696e65), (uint64_t)i, 0) >> 11) * 0x1p-53 <= part;
	return n;
}

/* All processes ask for the same lines, each at its own step. A line that could not begin at its
 * place, because the one before was in progress, begins later. */
void safe_point(long step, long steps)
{
	const bool due =
		every ? step > 0 && step % every == 0
		      : cuts < wanted_lines && places_until((double)step / (double)steps) > cuts;

	if (due)
		cuts += elc_checkpoint();
	else
		cuts += elc_safe_point();
}

void computed(void)
{
	seconds = MPI_Wtime() - begun;
}

int end_with(const struct program *p, long size, const char *hash, bool checks)
{
	if (rank == 0)
		printf("%s np %d size %ld hash %s checks %s seconds %.6f from %ld lines %ld\n",
		       p->name, np, size, hash, checks ? "ok" : "failed", seconds, restored, cuts);
	fflush(stdout);
	MPI_Finalize();
	return rank == 0 && !checks ? 1 : 0;
}

int end(const struct program *p, long size, uint64_t hash, bool checks)
{
	char text[17];

	snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
	return end_with(p, size, text, checks);
}

/* The finaliser of splitmix64. */
static uint64_t scramble(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t draw(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

	return scramble(
		scramble(scramble(scramble((uint64_t)seed + golden) + a + golden) + b + golden) +
		c + golden);
}

double next_uniform(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return (double)(scramble(*state) >> 11) * 0x1p-53;
}

double whole_number(long most, uint64_t a, uint64_t b, uint64_t c)
{
	return (double)((long)(draw(a, b, c) % (uint64_t)(2 * most + 1)) - most);
}

uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

uint64_t mix_doubles(uint64_t h, const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;

		memcpy(&bits, &v[i], sizeof bits);
		h = mix(h, bits);
	}
	return h;
}

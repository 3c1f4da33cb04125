/* What the four programs of the event-logging-checkpoint paper (Sect. 6.2) share here: their
 * arguments, random numbers that depend on nothing but their indices, lines at random places, and
 * the line of figures that they print. They are plain MPI programs with elc/elc.h, as a user would
 * write them; nothing else of this project is in them. */
#ifndef ELC_PROGRAMS_COMMON_H
#define ELC_PROGRAMS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An argument: --name NUMBER. */
struct argument {
	const char *name;
	long *value; /* its default, before begin() */
	long least, most;
	const char *meaning;
};

struct program {
	const char *name, *text; /* text: what it does, for --help */
	/* ends with an empty one; NULL: none. Beside these, each program has --seed, --lines,
	 * ... */
	const struct argument *own;
	/* For arguments that are no numbers; NULL: there are none. Takes one, or says that it is
	 * unknown; prints them for --help. */
	bool (*take)(const char *name, const char *value);
	void (*describe)(void);
	/* Do the arguments fit each other, for so many processes and lines? If not, it says so on
	 * stderr. NULL: they always do. */
	bool (*check)(long processes, long lines);
};

extern int rank, np; /* in MPI_COMM_WORLD */
extern long seed;

/* Reads the command line and calls MPI_Init(). It ends the program after --help (0) and with wrong
 * arguments (2). */
void begin(int *argc, char ***argv, const struct program *p);
/* End the job with a message if this does not hold. */
void require(bool holds, const char *words);
/* Memory of zeros; the job ends where there is none. */
void *zeros(size_t n, size_t bytes);

/* elc_restarted(); the clock of the figures begins here. */
void set_up_done(void);
/* A safe point after `step` of the `steps` of this process. The program wants --lines lines, at
 * places drawn from the seed, or one after each --every steps. */
void safe_point(long step, long steps);
/* The result is there: the clock stops. */
void computed(void);
/* Prints the line of figures at rank 0 and calls MPI_Finalize(). Returns the exit status: 1 if the
 * checks have failed at rank 0. */
int end_with(const struct program *p, long size, const char *hash, bool checks);
int end(const struct program *p, long size, uint64_t hash, bool checks);

/* Random numbers: of three indices, and a sequence. */
uint64_t draw(uint64_t a, uint64_t b, uint64_t c);
double next_uniform(uint64_t *state); /* in [0, 1) */
/* A whole number from -most to most, of the seed and three indices. */
double whole_number(long most, uint64_t a, uint64_t b, uint64_t c);

uint64_t mix(uint64_t h, uint64_t v);
uint64_t mix_doubles(uint64_t h, const double *v, size_t n);

#endif

/* Collective functions at a line.
 *
 * They are MPI's own. Each process counts those that it has begun on each communicator; MPI
 * prescribes the same order to all members, so the numbers name the same functions everywhere. A
 * request carries the counts of its sender at its cut. Let m be the largest count of all members.
 * What is below m is in the state of some member, so it belongs to the line: a process that has cut
 * before such a function keeps what it has got from it (the result, which is in transit, as it
 * were), and a checksum of what it has given (its contribution, an orphan). From its cut until it
 * knows m, it keeps the results of all. Its part of the line is complete when it has all results
 * below m; another member is behind them, so the program comes there.
 *
 * After a restart, results below m are served from the line, without MPI, and the contribution must
 * be the same. From m on, all members call MPI together. What a process has not been served yet
 * when it cuts again goes into the next line, too. */
#ifndef ELC_CORE_COLLECTIVE_H
#define ELC_CORE_COLLECTIVE_H

#include "elc/core/process_data.h"

/* What a process must do again after a restart. No padding: it is compared and written as bytes. */
struct elc_part {
	char function[32];   /* its name, the rest zeros */
	int32_t root;        /* -1: it has none */
	uint32_t crc;        /* of the contribution */
	uint64_t given, got; /* bytes of the contribution and of the result */
};

struct elc_result {
	struct elc_part part;
	bool here;  /* the function is complete */
	void *data; /* malloc; part.got bytes */
};

/* One communicator. Results have the numbers from first on, without a gap; those from count on will
 * be served. */
struct elc_collectives {
	struct elc_collectives *next;
	uint32_t comm;
	int size;
	int *world; /* the ranks of its members in the job */
	/* per other member: its count at its newest cut, as far as its request is here */
	int64_t *cut_of;
	int64_t count; /* functions begun, over restarts */
	int64_t cut;   /* those at the newest cut of this process */
	int64_t last;  /* m of the line in progress; -1: not known yet */
	int64_t first;
	struct elc_result *result;
	size_t n, room;
};

/* In a request, this key has the count of its sender on the communicator; no envelope and no number
 * (number.h) has it. */
static inline elc_key elc_collectives_key(uint32_t comm)
{
	return (uint64_t)comm << 32 | (UINT32_MAX - 1);
}

static inline bool elc_is_collectives(elc_key key)
{
	return (uint32_t)key == UINT32_MAX - 1;
}

/* Is the next function only to be counted? */
static inline bool elc_collective_plain(const struct elc_process *p,
					const struct elc_collectives *c)
{
	return p->line.phase < ELC_CUT && c->n == 0;
}

static inline void elc_collective_count(struct elc_process *p, struct elc_collectives *c)
{
	p->events++;
	c->count++;
}

/* A communicator of this process, before elc_process_unpack(). world: the ranks of its members. The
 * process owns it. NULL without memory. */
struct elc_collectives *elc_process_communicator(struct elc_process *p, uint32_t comm,
						 const int *world, int size);

/* Is it needed what this process gives to the next function? */
bool elc_collective_compares(struct elc_process *p, struct elc_collectives *c);
/* The next function begins. part counts only if elc_collective_compares(). ELC_CALL: MPI has to be
 * called; then *number is for elc_collective_end(), or -1 if the result is not needed. ELC_SERVE:
 * elc_collective_next() has the result; then elc_collective_taken(). ELC_OTHER: the program does
 * not repeat itself, elc_collective_next() is what it has called before; it cannot go on. */
enum { ELC_CALL, ELC_SERVE, ELC_OTHER };
int elc_collective_begin(struct elc_process *p, struct elc_collectives *c,
			 const struct elc_part *part, int64_t *number);
/* MPI has completed it. data (malloc): the result, which the process then owns. */
void elc_collective_end(struct elc_collectives *c, int64_t number, void *data);
/* What will be served next; NULL: nothing, MPI has to be called. */
const struct elc_result *elc_collective_next(const struct elc_collectives *c);
void elc_collective_taken(struct elc_process *p, struct elc_collectives *c);

/* For process.c. Of a cut, of a request (the counts leave the set), of its end. */
int elc_collectives_cut(struct elc_process *p);
void elc_collectives_request(struct elc_process *p, int from, struct elc_set *set);
bool elc_collectives_ready(struct elc_process *p);
void elc_collectives_completed(struct elc_process *p);
void elc_collectives_free(struct elc_process *p);

#endif

/* Neurons on a random graph, by the classical Runge-Kutta method (a model of FitzHugh and Nagumo
 * with synapses that excite or inhibit, and tire). They are dealt to the processes in blocks. As in
 * the paper, a step has five MPI_Allgather: of the activities at the four stages, and of the new
 * potentials, in which each process sees who has fired; and an MPI_Gather of how often the neurons
 * have fired, whose hash over all steps process 0 keeps (the trajectory). With
 * --messages 1 each process sends messages instead: the paper's library intercepts sends and
 * receives only.
 *
 * A neuron adds what it gets in the order of its synapses, so the result does not depend on the
 * number of processes. */
#include "elc/elc.h"
#include "elc/programs/common.h"

#include <mpi.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE = 1, WEIGHT, CURRENT, STAGES = 4 };

static const double STEP = 0.05, THRESHOLD = 1, TIRED = 0.7, RECOVERY = 0.01;

static long size = 128, degree = 8, steps = 1000, messages, verify;

static const struct argument OWN[] = {
	{ "size", &size, 1, 1000000, "neurons" },
	{ "degree", &degree, 0, 1000, "synapses to a neuron" },
	{ "steps", &steps, 1, 100000000, "steps of time" },
	{ "messages", &messages, 0, 1,
	  "1: each process sends messages to every process instead of the collective functions" },
	{ "verify", &verify, 0, 1,
	  "1: process 0 computes all again alone, and compares every bit" },
	{ NULL, NULL, 0, 0, NULL },
};
static const struct program PROGRAM = {
	.name = "neurons",
	.own = OWN,
	.text = "Simulates a graph of neurons. Checks: all potentials stay in range; --verify 1 "
		"compares every bit.",
};

struct neuron {
	double v, w;  /* potential, recovery */
	double fired; /* how often */
};

/* Neurons of a process, and what it knows of all. */
struct part {
	long first, n, slots; /* slots: of the largest part; all[] has them for each process */
	long step;
	uint64_t trajectory;
	struct neuron *own;
	double *strength; /* of the synapses of each neuron: they tire when it fires */
	double *above;    /* 1: its potential was above the threshold */
	/* Not of the state. */
	long *source; /* degree per neuron */
	double *weight, *current, *mine, *all;
	bool alone;     /* the only part */
	bool rehearsal; /* it only checks another one */
};

static double *of_state(double **at, long n)
{
	double *here = *at;

	*at += n;
	return here;
}

static void make_part(struct part *p, int parts, int which)
{
	const long slots = (size + parts - 1) / parts, all = slots * parts;
	double *memory =
		zeros((size_t)(2 * all + (slots * degree) + 2 * slots + all), sizeof *memory);

	*p = (struct part){ .first = which * slots, .slots = slots, .alone = parts == 1 };
	p->n = p->first >= size ? 0 : size - p->first < slots ? size - p->first : slots;
	p->own = zeros((size_t)slots, sizeof *p->own);
	p->source = zeros((size_t)(slots * degree), sizeof *p->source);
	p->strength = of_state(&memory, all);
	p->above = of_state(&memory, all);
	p->weight = of_state(&memory, slots * degree);
	p->current = of_state(&memory, slots);
	p->mine = of_state(&memory, slots);
	p->all = of_state(&memory, all);
	for (long i = 0; i < all; i++)
		p->strength[i] = 1;
	for (long i = 0; i < p->n; i++) {
		const uint64_t name = (uint64_t)(p->first + i);

		p->own[i] = (struct neuron){ whole_number(1000, CURRENT, name, 1) / 1000, 0, 0 };
		p->current[i] = 0.5 + whole_number(1000, CURRENT, name, 0) / 4000;
		for (long s = 0; s < degree; s++) {
			p->source[i * degree + s] =
				(long)(draw(SOURCE, name, (uint64_t)s) % (uint64_t)size);
			p->weight[i * degree + s] =
				whole_number(1000, WEIGHT, name, (uint64_t)s) / 4000;
		}
	}
}

static void free_part(struct part *p)
{
	free(p->own);
	free(p->source);
	free(p->strength); /* and all that was made with it */
}

/* Each process sends mine to the processes from first to last, itself included; these receive the
 * parts of all processes into all. */
static void exchange(struct part *p, int first, int last)
{
	MPI_Request *sent = zeros((size_t)np, sizeof(MPI_Request));

	for (int q = first; q <= last; q++)
		MPI_Isend(p->mine, (int)p->slots, MPI_DOUBLE, q, 0, MPI_COMM_WORLD, &sent[q]);
	for (int q = 0; q < np && first <= rank && rank <= last; q++)
		MPI_Recv(p->all + q * p->slots, (int)p->slots, MPI_DOUBLE, q, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MPI_Waitall(last - first + 1, &sent[first], MPI_STATUSES_IGNORE);
	free(sent);
}

/* all = what every process has in mine. */
static void share(struct part *p)
{
	if (p->alone)
		memcpy(p->all, p->mine, (size_t)p->slots * sizeof *p->all);
	else if (messages)
		exchange(p, 0, np - 1);
	else
		MPI_Allgather(p->mine, (int)p->slots, MPI_DOUBLE, p->all, (int)p->slots, MPI_DOUBLE,
			      MPI_COMM_WORLD);
}

/* The change of a neuron at this potential and recovery, with the activities of all. */
static struct neuron change(const struct part *p, long i, double v, double w)
{
	double in = p->current[i];

	for (long s = i * degree; s < (i + 1) * degree; s++)
		in += p->weight[s] * p->strength[p->source[s]] * p->all[p->source[s]];
	return (struct neuron){ v - v * v * v / 3 - w + in, 0.08 * (v + 0.7 - 0.8 * w), 0 };
}

/* The four stages; sum: of the weighted changes. */
static void integrate(struct part *p, struct neuron *k, struct neuron *sum)
{
	static const double reach[STAGES] = { 0, 0.5, 0.5, 1 }, share_of[STAGES] = { 1, 2, 2, 1 };

	memset(k, 0, (size_t)p->slots * sizeof *k);
	memset(sum, 0, (size_t)p->slots * sizeof *sum);
	for (int stage = 0; stage < STAGES; stage++) {
		for (long i = 0; i < p->n; i++)
			p->mine[i] =
				1 / (1 + exp(-4 * (p->own[i].v + reach[stage] * STEP * k[i].v)));
		share(p);
		for (long i = 0; i < p->n; i++) {
			k[i] = change(p, i, p->own[i].v + reach[stage] * STEP * k[i].v,
				      p->own[i].w + reach[stage] * STEP * k[i].w);
			sum[i].v += share_of[stage] * k[i].v;
			sum[i].w += share_of[stage] * k[i].w;
		}
	}
	for (long i = 0; i < p->n; i++) {
		p->own[i].v += STEP / 6 * sum[i].v;
		p->own[i].w += STEP / 6 * sum[i].w;
		p->mine[i] = p->own[i].v;
	}
	share(p);
}

/* Who fires? Its potential has come above the threshold in this step. */
static void fire(struct part *p)
{
	for (long j = 0; j < size; j++) {
		const double above = p->all[j] > THRESHOLD;
		const bool fires = above > p->above[j];

		p->strength[j] = fires ? TIRED * p->strength[j]
				       : p->strength[j] + RECOVERY * (1 - p->strength[j]);
		p->above[j] = above;
		if (fires && j >= p->first && j < p->first + p->n)
			p->own[j - p->first].fired++;
	}
}

static void observe(struct part *p)
{
	p->trajectory = mix_doubles(p->trajectory, p->all, (size_t)size);
	for (long i = 0; i < p->n; i++)
		p->mine[i] = p->own[i].fired;
	if (p->alone)
		share(p);
	else if (messages)
		exchange(p, 0, 0);
	else
		MPI_Gather(p->mine, (int)p->slots, MPI_DOUBLE, p->all, (int)p->slots, MPI_DOUBLE, 0,
			   MPI_COMM_WORLD);
	if (p->alone || rank == 0)
		p->trajectory = mix_doubles(p->trajectory, p->all, (size_t)size);
}

static void advance(struct part *p)
{
	struct neuron *k = zeros(2 * (size_t)p->slots, sizeof *k);

	for (; p->step < steps; p->step++) {
		if (!p->rehearsal)
			safe_point(p->step, steps);
		integrate(p, k, k + p->slots);
		fire(p);
		observe(p);
	}
	free(k);
}

static bool right(const struct part *p)
{
	struct part again;
	bool good = true;

	for (long i = 0; i < p->n; i++)
		good = good && fabs(p->own[i].v) < 4 && fabs(p->own[i].w) < 4;
	if (!verify || rank > 0)
		return good;
	make_part(&again, 1, 0);
	again.rehearsal = true;
	advance(&again);
	good = good && again.trajectory == p->trajectory;
	free_part(&again);
	return good;
}

int main(int argc, char **argv)
{
	struct part p;
	uint64_t hash;
	int good, all_good = 0;

	begin(&argc, &argv, &PROGRAM);
	make_part(&p, np, rank);
	elc_protect(1, &p.step, sizeof p.step);
	elc_protect(2, &p.trajectory, sizeof p.trajectory);
	elc_protect(3, p.own, (size_t)p.slots * sizeof *p.own);
	elc_protect(4, p.strength, 2 * (size_t)(p.slots * np) * sizeof *p.strength); /* and above */
	set_up_done();
	advance(&p);
	computed();
	good = right(&p);
	MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
	hash = p.trajectory;
	free_part(&p);
	return end(&PROGRAM, size, hash, all_good);
}

#include "forecast/programs/waves.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* What is kept of a program: nodes are roles and, in the order of their segments, waits. */
struct kept {
	const struct program *p;
	int np;
	uint32_t nodes, messages;
	uint32_t *after;   /* segments: the node when the segment is over */
	uint32_t *before;  /* nodes: of the same role */
	uint32_t *first;   /* nodes + 1: its messages */
	uint32_t *message; /* messages: which one of the program it is */
	/* np: which message of this sender the role waits for that is sent last */
	uint32_t *newest;
	uint32_t *level; /* nodes: of how many waits the longest chain is up to it */
	uint32_t *slot;  /* nodes */
};

static void kept_free(struct kept *k)
{
	free(k->after);
	free(k->before);
	free(k->first);
	free(k->message);
	free(k->newest);
	free(k->level);
	free(k->slot);
}

static int kept_init(struct kept *k, const struct program *p, int np)
{
	const size_t nodes = (size_t)np + p->waits, messages = (size_t)p->messages + 1;

	*k = (struct kept){ .p = p,
			    .np = np,
			    .after = malloc(((size_t)p->segments + 1) * sizeof *k->after),
			    .before = malloc(nodes * sizeof *k->before),
			    .first = malloc((nodes + 1) * sizeof *k->first),
			    .message = malloc(messages * sizeof *k->message),
			    .newest = malloc((size_t)np * sizeof *k->newest),
			    .level = calloc(nodes, sizeof *k->level),
			    .slot = malloc(nodes * sizeof *k->slot) };
	return k->after && k->before && k->first && k->message && k->newest && k->level && k->slot
		       ? RB_OK
		       : RB_ENOMEM;
}

/* Is a message there no earlier than another one of the same sender, in any case? */
static bool is_last(const struct message *m, const struct message *other)
{
	return m->segment >= other->segment && m->cost >= other->cost;
}

/* Enter a message, unless one that is kept is there no earlier. from, wait: the role's and this
 * wait's first messages. */
static void keep_message(struct kept *k, uint32_t message, uint32_t from, uint32_t wait)
{
	const struct message *list = k->p->message, *m = &list[message];
	const uint32_t other = k->newest[m->source];
	const bool has =
		other >= from && other < k->messages && list[k->message[other]].source == m->source;

	if (has && is_last(&list[k->message[other]], m))
		return;
	if (has && other >= wait && is_last(m, &list[k->message[other]])) {
		k->message[other] = message;
		return;
	}
	k->message[k->messages] = message;
	k->newest[m->source] = k->messages++;
}

static void keep_role(struct kept *k, int role)
{
	const struct program *p = k->p;
	const uint32_t from = k->messages;
	uint32_t node = (uint32_t)role;

	for (uint32_t g = p->first[role]; g < p->first[role + 1]; g++) {
		const uint32_t wait = k->messages;

		for (uint32_t i = p->segment[g].message;
		     p->segment[g].waits && i < p->segment[g + 1].message; i++)
			keep_message(k, i, from, wait);
		if (k->messages > wait) {
			k->before[k->nodes] = node;
			k->first[k->nodes] = wait;
			node = k->nodes++;
		}
		k->after[g] = node;
	}
}

/* The node when a message is sent. */
static uint32_t sender(const struct kept *k, const struct message *m)
{
	return m->segment == k->p->first[m->source] ? (uint32_t)m->source
						    : k->after[m->segment - 1];
}

static void keep(struct kept *k)
{
	memset(k->newest, 0, (size_t)k->np * sizeof *k->newest);
	memset(k->first, 0, (size_t)k->np * sizeof *k->first);
	k->nodes = (uint32_t)k->np;
	for (int r = 0; r < k->np; r++)
		keep_role(k, r);
	k->first[k->nodes] = k->messages;
}

static void find_levels(struct kept *k)
{
	const struct program *p = k->p;

	for (uint32_t i = 0; i < p->waits; i++) {
		const uint32_t g = p->order[i], node = k->after[g],
			       role = (uint32_t)p->segment[g].role;
		uint32_t level;

		if (node == (g == p->first[role] ? role : k->after[g - 1]))
			continue;
		level = k->level[k->before[node]];
		for (uint32_t m = k->first[node]; m < k->first[node + 1]; m++) {
			const uint32_t from = sender(k, &p->message[k->message[m]]);

			level = k->level[from] > level ? k->level[from] : level;
		}
		k->level[node] = level + 1;
	}
}

static uint32_t degree(const struct kept *k, uint32_t node)
{
	return k->first[node + 1] - k->first[node];
}

static uint32_t key(const struct kept *k, uint32_t node, bool by_level)
{
	return by_level ? k->level[node] : degree(k, node);
}

/* Sort nodes; those with the same key stay in their order. */
static int sort(const struct kept *k, const uint32_t *from, uint32_t *to, uint32_t count,
		bool by_level)
{
	uint32_t most = 0, *begin;

	for (uint32_t i = 0; i < count; i++)
		most = key(k, from[i], by_level) > most ? key(k, from[i], by_level) : most;
	begin = calloc((size_t)most + 2, sizeof *begin);
	if (!begin)
		return RB_ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		begin[key(k, from[i], by_level) + 1]++;
	for (uint32_t i = 0; i <= most; i++)
		begin[i + 1] += begin[i];
	for (uint32_t i = 0; i < count; i++)
		to[begin[key(k, from[i], by_level)]++] = from[i];
	free(begin);
	return RB_OK;
}

/* order: all waits, in the order in which they get slots. */
static int lay_out(struct waves *w, const struct kept *k, const uint32_t *order, uint32_t waits)
{
	size_t need = 0, cost = 0;

	w->need = malloc(((size_t)waits + k->messages + 1) * sizeof *w->need);
	w->cost = malloc(((size_t)k->messages + 1) * sizeof *w->cost);
	w->part = malloc(((size_t)waits + 1) * sizeof *w->part);
	w->last = malloc((size_t)k->np * sizeof *w->last);
	if (!w->need || !w->cost || !w->part || !w->last)
		return RB_ENOMEM;
	for (uint32_t i = 0; i < waits; i++)
		k->slot[order[i]] = (uint32_t)k->np + i;
	for (uint32_t i = 0; i < waits; i++) {
		const uint32_t node = order[i], messages = degree(k, node);

		if (w->parts == 0 || w->part[w->parts - 1].messages != messages)
			w->part[w->parts++] = (struct wave_part){ 0, messages };
		w->part[w->parts - 1].waits++;
		w->need[need++] = k->slot[k->before[node]];
		for (uint32_t m = k->first[node]; m < k->first[node + 1]; m++) {
			w->need[need++] = k->slot[sender(k, &k->p->message[k->message[m]])];
			w->cost[cost++] = (double)k->p->message[k->message[m]].cost;
		}
	}
	for (int r = 0; r < k->np; r++)
		w->last[r] = k->slot[k->p->first[r] < k->p->first[r + 1]
					     ? k->after[k->p->first[r + 1] - 1]
					     : (uint32_t)r];
	w->slots = k->nodes;
	w->messages = k->messages;
	return RB_OK;
}

static int make(struct waves *w, struct kept *k, uint32_t *list, uint32_t *sorted)
{
	const uint32_t waits = k->nodes - (uint32_t)k->np;

	for (uint32_t i = 0; i < waits; i++)
		list[i] = (uint32_t)k->np + i;
	for (uint32_t r = 0; r < (uint32_t)k->np; r++)
		k->slot[r] = r;
	find_levels(k);
	RB_TRY(sort(k, list, sorted, waits, false));
	RB_TRY(sort(k, sorted, list, waits, true));
	return lay_out(w, k, list, waits);
}

int waves_make(struct waves *w, const struct program *p, int np)
{
	struct kept k;
	uint32_t *list = malloc(2 * ((size_t)p->waits + 1) * sizeof *list);
	int rc = kept_init(&k, p, np);

	*w = (struct waves){ .slots = 0 };
	if (rc == RB_OK && list) {
		keep(&k);
		rc = make(w, &k, list, list + p->waits + 1);
	}
	kept_free(&k);
	free(list);
	return list ? rc : RB_ENOMEM;
}

void waves_free(struct waves *w)
{
	free(w->part);
	free(w->need);
	free(w->cost);
	free(w->last);
	*w = (struct waves){ .slots = 0 };
}

/* So many waits with so many messages each. Always inline, so that the compiler knows how many
 * messages. */
__attribute__((always_inline)) static inline void execute_part(const uint32_t *need,
							       const double *cost, uint32_t waits,
							       uint32_t messages,
							       const double *time, double *to)
{
	for (uint32_t i = 0; i < waits; i++) {
		double last = time[need[0]];

		for (uint32_t k = 0; k < messages; k++) {
			const double there = time[need[1 + k]] + cost[k];

			last = there > last ? there : last;
		}
		to[i] = last;
		need += messages + 1;
		cost += messages;
	}
}

void waves_execute(const struct waves *w, int np, double *time)
{
	const uint32_t *need = w->need;
	const double *cost = w->cost;
	double *to = time + np;

	for (uint32_t i = 0; i < w->parts; i++) {
		const uint32_t waits = w->part[i].waits, messages = w->part[i].messages;

		switch (messages) {
		case 1:
			execute_part(need, cost, waits, 1, time, to);
			break;
		case 2:
			execute_part(need, cost, waits, 2, time, to);
			break;
		case 3:
			execute_part(need, cost, waits, 3, time, to);
			break;
		default:
			execute_part(need, cost, waits, messages, time, to);
		}
		need += (size_t)waits * (messages + 1);
		cost += (size_t)waits * messages;
		to += waits;
	}
}

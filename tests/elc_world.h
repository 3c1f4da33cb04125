/* What a play of the protocol of elc/core is about: the state of all processes and of the network,
 * and random programs (elc_play.h). */
#ifndef ELC_WORLD_H
#define ELC_WORLD_H

#include "base/mix.h"
#include "elc/core/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	NP = 6,
	COMMS = 3,
	TAGS = 3,
	KEYS = COMMS * TAGS,
	OPS = 900,
	SLOTS = 4,
	NET = 12000,
	GROUPS = 3,
	CALLS = 2
};

/* A program: send, post a receive into a slot, wait for a slot, a safe point, or begin and end a
 * collective function (elc_play_calls.h). Communicator 0 is received from by source and tag (but
 * tag 2 of it from any source), 1 by source with any tag, 2 with any source and any tag. So
 * whatever is matched, every order of the processes comes to the end of the programs. */
struct op {
	enum { OP_SEND, OP_POST, OP_WAIT, OP_SAFE, OP_BEGIN, OP_END } kind;
	int peer, comm, tag, slot;
};

struct message {
	int from, to;
	elc_key key;
	int64_t id; /* how many of this envelope were sent before it; of a marker: the line */
	int64_t stamp;
	bool marker, arrived, gone;
	struct elc_set set; /* of a marker */
};

struct slot {
	bool active, done;
	struct elc_pending want;
	int matched; /* index in the network, or -1 */
};

/* What a program's own state is: it goes into its image. */
struct program {
	int pc;
	int64_t sent[NP][KEYS], received[NP][KEYS];
	/* of what was received: their sum, since slots are waited for in any order */
	int64_t ids[NP][KEYS];
	int64_t calls[GROUPS]; /* collective functions begun */
};

struct control {
	enum { REQUEST, COMPLETE, COMMIT } kind;
	int from, to;
	int64_t number;
	struct elc_set set;
};

/* A collective function that a program has begun. */
struct call {
	bool active, served;
	int group, function, root;
	int64_t id, number; /* how many came before it; as elc_collective_begin() calls it */
	/* how many calls of MPI came before it on this communicator, since the restart */
	int64_t match;
};

/* What MPI knows of a collective function: it matches them by their order. */
struct match {
	bool entered[NP];
	int64_t id[NP];
	uint64_t given[NP];
};

struct player {
	struct op op[OPS];
	int ops;
	struct program program, cut; /* as it is now; as it was at the newest cut */
	struct slot slot[SLOTS];
	struct call call[CALLS];
	struct elc_collectives *with[GROUPS]; /* NULL: not a member */
	int64_t matched[GROUPS];
	struct elc_process e;
	void *part; /* of the line in progress, packed */
	size_t bytes;
};

struct image {
	struct program program;
	void *part;
	size_t bytes;
};

/* What keeps its order on its way from one process to another. */
enum order { PER_CHANNEL, PER_COMMUNICATOR, PER_ENVELOPE };

struct play {
	uint64_t seed;
	int np;
	enum order order;
	const struct elc_protocol *protocol;
	/* the library takes each message from the network when it arrives; otherwise as elc/mpi
	 * does */
	bool reads;
	bool unordered; /* a process has said that messages came in a wrong order */
	enum elc_form form;
	struct player player[NP];
	struct message net[NET];
	/* from, to: a marker that is not given to the process yet */
	struct message *waiting[NP][NP];
	int sent;
	bool member[GROUPS][NP];
	struct match match[GROUPS][OPS];
	struct control control[8 * NP * NP];
	int controls;
	int64_t line;           /* the newest committed one */
	struct image image[NP]; /* of it; line 0: the beginning */
	int64_t lines, transits, orphans, suppressed, crashes, crossed; /* seen */
	/* of collective functions in lines; of them, those that were in the line before, too */
	int64_t results, left;
};

static inline uint64_t draw(struct play *w, uint64_t below)
{
	return mix_draw(&w->seed) % below;
}

static inline int index_of(elc_key key)
{
	return (int)elc_key_comm(key) * TAGS + elc_key_tag(key);
}

/* The checksum of a message of the play. */
static inline uint32_t sum_of(int from, elc_key key, int64_t id)
{
	return (uint32_t)((uint64_t)id * 2654435761u ^ key * 40503u ^ (uint64_t)from);
}

/* ---- programs: an execution is drawn in which every receive finds a message, and each process
 * gets its part of it ---- */

static struct op receive_of(int from, int comm, int tag, int slot)
{
	const bool any_source = comm == 2 || (comm == 0 && tag == 2), any_tag = comm >= 1;

	return (struct op){ OP_POST, any_source ? ELC_ANY : from, comm, any_tag ? ELC_ANY : tag,
			    slot };
}

static void add(struct player *p, struct op op)
{
	if (p->ops < OPS)
		p->op[p->ops++] = op;
}

/* A collective function of all members of a communicator, whose ends are elsewhere for each of
 * them. */
static void draw_call(struct play *w, bool busy[NP][CALLS])
{
	const int group = (int)draw(w, GROUPS), function = (int)draw(w, 4),
		  slot = (int)draw(w, CALLS);
	int root = (int)draw(w, (uint64_t)w->np);

	while (!w->member[group][root])
		root = (root + 1) % w->np;
	for (int r = 0; r < w->np; r++)
		if (w->member[group][r] && (busy[r][slot] || w->player[r].ops > OPS - 4 * SLOTS))
			return;
	for (int r = 0; r < w->np; r++) {
		if (!w->member[group][r])
			continue;
		add(&w->player[r], (struct op){ OP_BEGIN, root, group, function, slot });
		busy[r][slot] = draw(w, 3) == 0;
		if (!busy[r][slot])
			add(&w->player[r], (struct op){ OP_END, 0, 0, 0, slot });
	}
}

static void draw_groups(struct play *w)
{
	for (int g = 0; g < GROUPS; g++) {
		for (int r = 0; r < w->np; r++)
			w->member[g][r] = g == 0 || draw(w, 2);
		w->member[g][draw(w, (uint64_t)w->np)] = true;
	}
}

/* A free slot of this player in the drawn execution, or -1. */
static int free_slot(const bool *busy)
{
	for (int s = 0; s < SLOTS; s++)
		if (!busy[s])
			return s;
	return -1;
}

static void draw_receive(struct play *w, int me, int peer, int comm, int tag, bool *busy)
{
	const int slot = free_slot(busy);

	if (slot < 0)
		return;
	add(&w->player[me], receive_of(peer, comm, tag, slot));
	busy[slot] = draw(w, 3) == 0; /* else waited for at once */
	if (!busy[slot])
		add(&w->player[me], (struct op){ OP_WAIT, 0, 0, 0, slot });
}

static void draw_programs(struct play *w, int length)
{
	int open[NP][NP][KEYS] = { 0 };
	bool busy[NP][SLOTS] = { { false } }, calls[NP][CALLS] = { { false } };

	/* of collective functions: they keep the processes together, so some programs have none */
	const uint64_t share = draw(w, 3);

	draw_groups(w);
	for (int i = 0; i < length; i++) {
		const int me = (int)draw(w, (uint64_t)w->np), peer = (int)draw(w, (uint64_t)w->np);
		const int key = (int)draw(w, KEYS),
			  what = (int)draw(w, draw(w, 2) < share ? 13 : 12);
		struct player *p = &w->player[me];

		if (p->ops > OPS - 4 * SLOTS)
			break;
		if (what == 12) {
			draw_call(w, calls);
		} else if (what < 4) {
			add(p, (struct op){ OP_SEND, peer, key / TAGS, key % TAGS, 0 });
			open[me][peer][key]++;
		} else if (what < 8 && open[peer][me][key] > 0) {
			const int before = p->ops;

			draw_receive(w, me, peer, key / TAGS, key % TAGS, busy[me]);
			open[peer][me][key] -= p->ops > before;
		} else if (what == 8) {
			const int s = (int)draw(w, SLOTS);

			if (busy[me][s])
				add(p, (struct op){ OP_WAIT, 0, 0, 0, s });
			if (calls[me][s % CALLS])
				add(p, (struct op){ OP_END, 0, 0, 0, s % CALLS });
			busy[me][s] = calls[me][s % CALLS] = false;
		} else if (what > 8) {
			add(p, (struct op){ OP_SAFE, 0, 0, 0, 0 });
		}
	}
	for (int r = 0; r < w->np; r++)
		for (int s = 0; s < SLOTS; s++)
			if (busy[r][s])
				add(&w->player[r], (struct op){ OP_WAIT, 0, 0, 0, s });
	for (int r = 0; r < w->np; r++)
		for (int s = 0; s < CALLS; s++)
			if (calls[r][s])
				add(&w->player[r], (struct op){ OP_END, 0, 0, 0, s });
}

#endif

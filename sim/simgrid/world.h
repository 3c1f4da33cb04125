/* sim/simgrid/world.h - what the actors of a simulation share (private to sim/simgrid/).
 *
 * SimGrid runs one actor at a time, and changes to another one only in its calls. So actors change these data without
 * locks. */
#ifndef SIM_SIMGRID_WORLD_H
#define SIM_SIMGRID_WORLD_H

#include "ft/role/expected_log.h"
#include "sim/time/decision.h"

#include <simgrid/actor.h>
#include <simgrid/semaphore.h>

enum { NEVER = -1 };  /* instead of a time or an iteration */
#define TICK_LIMIT (INT64_C(1) << 52) /* half a tick behind a later one is no double */

/* An operation of a role. */
struct step {
	enum pattern_kind kind;
	int peer, tag;
	int nth;        /* how many of the iteration before it have the same kind, peer and tag */
	int32_t place;  /* ft/log/place.h */
	bool reduction;
	int64_t ticks;  /* of a send: until the message is there */
};

struct program {
	struct step *step;
	size_t count, room;
	int32_t places;
};

/* A message to a process. */
struct message {
	struct process *to;
	int from, tag, nth;
	int64_t iter, ticks;
	bool held;   /* until the repair is over */
	bool there;
};

/* A role or its duplicate, from one repair that stops it to the next. */
struct process {
	struct world *w;
	int role;
	bool duplicate;
	bool loads;             /* a checkpoint, first */
	sg_actor_t actor;       /* NULL: it does not run */
	bool open;              /* what is sent to it gets there; else it is held */
	sg_sem_t wake;
	bool waiting;           /* for a message */
	int64_t iter;           /* that it is in, or will begin with */
	bool begun;             /* the iteration, behind its barrier */
	size_t done, posted;    /* steps of the iteration that are done; receives before have been waited for */
	int64_t waited;         /* ticks, in this iteration */
	int64_t busy;           /* computes since then; NEVER: does not */
	bool capped;            /* the iteration */
	struct program program;
	struct expected_log log;
	bool logs;              /* log is in use */
	struct message **in;    /* of iterations that it has not completed */
	size_t count, room;
	struct process *older;  /* in the list of all */
};

struct role {
	struct process *own, *copy; /* copy: NULL if it has no duplicate */
	sg_host_t host;
	int64_t front, high;    /* iterations completed; at most so far */
	int64_t saved;          /* the newest checkpoint */
	int64_t gate;           /* the iteration before whose checkpoint it waits for all others; NEVER: none */
	int64_t died, off;      /* died: NEVER: lives. off: until when its time off has been counted */
	bool over;              /* all iterations are done */
	bool resumed;           /* has gone on since it was last stopped */
	int64_t end;
};

struct world {
	const struct model *m;
	int np, running;        /* roles that are not over */
	struct role *role;
	struct process *newest; /* list of all */
	const struct failure *list;
	size_t count;
	int64_t *due;           /* count: the tick half a tick behind which a failure strikes; NEVER: not known */
	bool *struck;           /* count */
	int64_t stop, again;    /* ticks: the roles stop half a tick behind it, the repair is over; NEVER: none is coming */
	sg_sem_t news;          /* for the controller */
	struct decision now;    /* of the last repair; np 0: there was none */
	int64_t target;         /* iterations that the role that was furthest had completed then */
	int64_t *line;          /* np: where duplicates began then */
	bool *dead;             /* np: who was dead then, and the fronts */
	int64_t *front;
	tick_sum state[STATES];
	struct result *r;
	int rc;
	struct rb_error *err;
	bool ended;             /* the controller has come to the end */
};

/* sim/simgrid/world.c */
int64_t world_half_ticks(struct world *w); /* now, in units of half a tick */
int64_t world_now(struct world *w);        /* now, which is a whole tick */
/* Note the first error, and end the simulation. Does not return. */
void world_fail(struct world *w, int rc, const char *text) __attribute__((noreturn));
void world_sleep(int64_t ticks);
enum { STACK_MESSAGE = 32, STACK_PROCESS = 128, STACK_CONTROL = 8192 }; /* KiB */
/* Start an actor. *actor is set before it begins, since it may have ended when the call returns. */
void world_start(sg_actor_t *actor, const char *name, sg_host_t host, void (*code)(void *), void *data, unsigned stack);

/* sim/simgrid/platform.c: a host for each role. RB_OK; RB_EIO. */
int platform_load(int np, struct rb_error *err);
sg_host_t platform_host(int role);

/* sim/simgrid/process.c. NULL: out of memory. */
struct process *process_new(struct world *w, int role, bool duplicate, bool loads, int64_t from);
void process_start(struct process *p);
void process_halt(struct process *p);
void process_free(struct process *p);
/* The last iteration that the duplicate of a role does anything in; NEVER: it has no duplicate. */
int64_t last_of_duplicate(const struct world *w, int role);

/* sim/simgrid/program.c: load the operations of a role in an iteration. */
void program_load(struct world *w, struct program *g, int role, int64_t iter);
/* The bytes that a process enters into its log in an iteration; the iterations come in ascending order. */
int64_t program_logged(struct process *p, int64_t iter);

/* sim/simgrid/messages.c */
void messages_send(struct process *p, const struct step *s);
void messages_wait(struct process *p);
void messages_forget(struct process *p); /* those of iterations that it has completed */
void messages_release(struct process *p); /* those that were held, but for senders that are dead */
/* To the processes that the decision w->now starts: what is sent to them from logs. */
void messages_replay(struct world *w);

/* sim/simgrid/failures.c */
void failures_announce(struct process *p); /* it begins the program of an iteration */
void failures_control(void *world); /* an actor */

#endif

/* forecast/simgrid/world.h - what the actors of a simulation share (private to forecast/simgrid/).
 *
 * SimGrid runs one actor at a time, and changes to another one only in its calls. So actors change
 * these data without locks. */
#ifndef FORECAST_SIMGRID_WORLD_H
#define FORECAST_SIMGRID_WORLD_H

#include "ft/role/expected_log.h"
#include "forecast/time/decision.h"

#include <simgrid/actor.h>
#include <simgrid/semaphore.h>
#include <stdio.h>

enum { NEVER = -1 };                  /* instead of a time or an iteration */
#define TICK_LIMIT (INT64_C(1) << 52) /* half a tick behind a later one is no double */

/* An operation of a role. */
struct step {
	enum pattern_kind kind;
	int peer, tag;
	int nth;       /* how many of the iteration before it have the same kind, peer and tag */
	int32_t place; /* ft/log/place.h */
	bool reduction;
	int64_t ticks; /* of a send: until the message is there */
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
	bool held; /* until the repair is over */
	bool there;
};

/* A role or its duplicate, from one repair that stops it to the next. */
struct process {
	struct world *w;
	int role;
	bool duplicate;
	bool loads;       /* a checkpoint, first */
	sg_actor_t actor; /* NULL: it does not run */
	bool open;        /* what is sent to it gets there; else it is held */
	sg_sem_t wake;
	bool waiting; /* for a message */
	int64_t iter; /* that it is in, or will begin with */
	bool begun;   /* the iteration, behind its barrier */
	/* steps of the iteration that are done; receives before have been waited for */
	size_t done, posted;
	int64_t waited; /* ticks, in this iteration */
	int64_t waits;  /* since then; NEVER: does not */
	int64_t busy;   /* computes since then; NEVER: does not */
	bool capped;    /* the iteration */
	bool dim;       /* its host counts it as waiting capped */
	struct program program;
	struct expected_log log;
	bool logs;           /* log is in use */
	struct message **in; /* of iterations that it has not completed */
	size_t count, room;
	struct process *older; /* in the list of all */
};

struct role {
	struct process *own, *copy; /* copy: NULL if it has no duplicate */
	sg_host_t host;
	int64_t front, high; /* iterations completed; at most so far */
	int64_t saved;       /* the newest checkpoint */
	/* the iteration before whose checkpoint it waits for all others; NEVER: none */
	int64_t gate;
	/* died: NEVER: lives. off: until when its time off has been counted */
	int64_t died, off;
	bool over;    /* all iterations are done */
	bool resumed; /* has gone on since it was last stopped */
	bool dark;    /* its host counts it as off */
	int64_t end;
};

struct host {
	sg_host_t at;
	int off, capped; /* roles */
};

struct world {
	const struct model *m;
	/* roles share, so that activities end between ticks. Then the next tick counts */
	bool rounds;
	bool metered;      /* SimGrid accounts for the energy of hosts */
	struct host *host; /* hosts */
	int hosts;
	int np, running; /* roles that are not over */
	struct role *role;
	struct process *newest; /* list of all */
	const struct failure *list;
	size_t count;
	/* count: the tick half a tick behind which a failure happens; NEVER: not known */
	int64_t *due;
	bool *happened; /* count */
	/* ticks: the roles stop half a tick behind it, the repair is over; NEVER: none is coming */
	int64_t stop, again;
	sg_sem_t news;       /* for the controller */
	struct decision now; /* of the last repair; np 0: there was none */
	int64_t target;      /* iterations that the role that was furthest had completed then */
	int64_t *line;       /* np: where duplicates began then */
	bool *dead;          /* np: who was dead then, and the fronts */
	int64_t *front;
	tick_sum state[STATES];
	/* half ticks of capped waits in iterations that were broken off, which count as waits */
	tick_sum capped_half;
	struct result *r;
	int rc;
	struct rb_error *err;
	bool ended; /* the controller has come to the end */
};

/* forecast/simgrid/world.c */
int64_t world_half_ticks(struct world *w); /* now, in units of half a tick */
int64_t world_now(struct world *w);        /* now, which is a whole tick */
/* Note the first error, and end the simulation. Does not return. */
void world_fail(struct world *w, int rc, const char *text) __attribute__((noreturn));
void world_sleep(int64_t ticks);
/* Behind what others may have delayed: sleep up to the next tick. */
void world_round_up(struct world *w);
enum { STACK_MESSAGE = 32, STACK_PROCESS = 128, STACK_CONTROL = 8192 }; /* KiB */
/* Start an actor. *actor is set before it begins, since it may have ended when the call returns. */
void world_start(sg_actor_t *actor, const char *name, sg_host_t host, void (*code)(void *),
		 void *data, unsigned stack);

/* forecast/simgrid/platform.c. RB_OK; RB_EIO. */
int platform_load(const struct model *m, bool metered, struct rb_error *err);
sg_host_t platform_host(int host);

/* forecast/simgrid/energy.c */
bool energy_is_metered(const struct model *m);
int energy_host_states(const struct platform *p);         /* pstates of a host */
void energy_write(FILE *platform, const struct model *m); /* the watts of a host */
void energy_begin(struct world *w);
void energy_switch(struct world *w, int role, bool off); /* a role is dead, or no longer */
/* it will no longer be from the end of the repair on */
void energy_replace(struct world *w, int role);
void energy_cap(struct process *p, bool cap); /* it begins or ends a capped wait */
void energy_end(struct world *w);             /* sets r->host_energy_j */

/* forecast/simgrid/process.c. NULL: out of memory. */
struct process *process_new(struct world *w, int role, bool duplicate, bool loads, int64_t from);
void process_start(struct process *p);
void process_halt(struct process *p);
void process_free(struct process *p);
/* The last iteration that the duplicate of a role does anything in; NEVER: it has no duplicate. */
int64_t last_of_duplicate(const struct world *w, int role);

/* forecast/simgrid/program.c: load the operations of a role in an iteration. */
void program_load(struct world *w, struct program *g, int role, int64_t iter);
/* The bytes that a process enters into its log in an iteration; the iterations come in ascending
 * order. */
int64_t program_logged(struct process *p, int64_t iter);

/* forecast/simgrid/messages.c */
void messages_send(struct process *p, const struct step *s);
void messages_wait(struct process *p);
void messages_forget(struct process *p);  /* those of iterations that it has completed */
void messages_release(struct process *p); /* those that were held, but for senders that are dead */
/* To the processes that the decision w->now starts: what is sent to them from logs. */
void messages_replay(struct world *w);

/* forecast/simgrid/failures.c */
/* the role itself is at this point (enum failure_point) of an iteration */
void failures_announce(struct process *p, int64_t point);
/* does one happen there in this iteration? */
bool failures_any(const struct process *p, int64_t point);
void failures_control(void *world); /* an actor */

#endif

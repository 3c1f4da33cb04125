/* ft/msg/transport.h - the inside of struct msg: communicator, requests, log (private to ft/).
 *
 * Send suppression and replay follow the send wrapper of the message-logging-kernels paper
 * (Alg. 3), but generically: front[d] is the iteration role d resumes with, so a message of an
 * earlier iteration is logged and not sent, and msg_replay() re-sends from the log whatever
 * role d still lacks. No kernel knows of it. */
#ifndef FT_MSG_TRANSPORT_H
#define FT_MSG_TRANSPORT_H

#include "ft/msg/log.h"
#include "ft/msg/msg.h"
#include "ft/msg/policy.h"

#include <mpi.h>
#include <stdbool.h>

struct requests {
	MPI_Request *list;
	int count, capacity;
	int through; /* so many at the beginning are known to be */
};

/* Wait for all, whatever becomes of them. */
void requests_drain(struct requests *r);

/* Tags of what is not a kernel's message, all above MSG_TAG_MAX. Ranges where something is added. */
enum {
	TAG_BARRIER = 2000, /* + round */
	TAG_FRONT = 2100,
	TAG_COPY = 3000,    /* + number of the partner */
	TAG_CHUNK = 3100,   /* + stripe, also below */
	TAG_FETCH = 3200,
	TAG_BLOCK = 3300,
};

/* Called at every message operation, where a failure may be injected; `sending`: before a send
 * leaves, else before a wait. m->ops and m->pushes say which one it is. */
typedef void msg_probe(void *ctx, bool sending);

struct msg {
	MPI_Comm comm;        /* workers; rank == role */
	int role, np;
	struct policy policy;
	bool bare;            /* no protection: no log, no books, no times */
	bool naps;            /* waiting ranks give way to others, and now and then sleep */
	bool sleeps;          /* and now they only sleep (ft/msg/nap.h) */
	bool timed;           /* this iteration's messages are timed */
	bool rehearsal;       /* nothing is sent or received: only the log keeps its books */
	int64_t *front;       /* np: where each role resumed in this epoch */
	struct log log;
	struct arena scratch; /* payloads that are not logged, until the iteration ends */
	int64_t iter;
	bool failed;          /* out of memory or an MPI error: nothing is sent any more */
	int pushes, ops;      /* sends, and sends and waits, of the current iteration so far */
	msg_probe *probe;
	void *probe_ctx;
	struct {              /* between msg_reserve() and msg_push() */
		void *payload;
		size_t bytes;
		int dst, tag;
		double taken; /* when it was handed out */
	} slot;
	struct {              /* seconds of this process so far; clock readings they took */
		double log, pack, communicate;
		int64_t readings;
	} spent;
	bool watched;         /* what waiting costs is added up */
	double waited_cpu;    /* CPU time, seconds, since msg_watch() */
	struct requests sends, receives, replays;
	int64_t replayed, replayed_bytes; /* to rolled-back roles, by the last msg_replay() */
	char reason[MPI_MAX_ERROR_STRING]; /* of the last MPI error */
};

/* policy is copied; its role and np are set here. */
int msg_init(struct msg *m, int role, int np, const struct policy *policy);
void msg_free(struct msg *m);

/* Start a new epoch on a fresh communicator. front has np numbers. */
void msg_connect(struct msg *m, MPI_Comm workers, const int64_t *front);
/* After the communicator was revoked: wait until no request is left. */
void msg_drain(struct msg *m);

/* RB_OK, or RB_LOST for any MPI error: the communicator is lost then. */
int msg_check(struct msg *m, int rc);
/* Begin to send; the request is added to `to`. RB_OK or RB_LOST. */
int msg_isend(struct msg *m, struct requests *to, const void *data, int count, MPI_Datatype type,
	      int dst, int tag);
/* *done: all of them are through; the list is empty then. RB_OK or RB_LOST. */
int msg_test(struct msg *m, struct requests *r, bool *done);
/* Between two tests of something that is waited for, `tries` of them so far. */
void msg_nap(const struct msg *m, int tries);

/* From now on add up the CPU time that waiting costs, from zero, or leave it; nobody sleeps then. */
void msg_watch(struct msg *m, bool on);

void msg_begin(struct msg *m, int64_t iter);
int msg_flush(struct msg *m);  /* all sends of the iteration have left */
void msg_commit(struct msg *m);
void msg_abort(struct msg *m); /* only after msg_drain() */

/* Re-send, from the log and without waiting, what the roles behind this one lack. rolled: np, who
 * rolled back (ft/recovery/repair.h). half: called once half of them are posted, if there are two. */
int msg_replay(struct msg *m, int64_t my_front, const bool *rolled, void (*half)(void *ctx),
	       void *ctx);
/* *done: all re-sent messages have left. */
int msg_replay_test(struct msg *m, bool *done);
int msg_replay_wait(struct msg *m);

/* Empty messages about having reached the front (ft/recovery/front_wait.h): one sent, one expected, whether
 * all that were expected have come. Those sent count as replayed. */
int msg_announce(struct msg *m, int dst);
int msg_expect(struct msg *m, int src);
int msg_all_here(struct msg *m, bool *all);

/* Dissemination barrier on unlogged messages. */
int msg_barrier(struct msg *m);

#endif

/* ft/msg/link.h - the roles in the MPI communicator of an epoch, and requests on it (private to
 * ft/).
 *
 * Ports send kernels' messages over it, transfers send images (ft/line/transfer.h). A function that
 * returns a status returns RB_OK, RB_LOST (any MPI error: the communicator is lost), RB_ENOMEM, or
 * RB_ELENGTH (a message longer than MPI can count). An error stays until link_connect(): `status`
 * holds it, `reason` describes it, and nothing is sent or received any more. */
#ifndef FT_MSG_LINK_H
#define FT_MSG_LINK_H

#include "base/status.h"
#include "ft/msg/wait.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tags of what is not a kernel's message, all above MSG_TAG_MAX. Where something is added, it is a
 * range. */
enum {
	TAG_ROUNDS = 2000, /* + round, of barriers and of what all roles tell each other */
	TAG_VOTE = 2050,   /* + round, of the barrier that makes a checkpoint count */
	TAG_FRONT = 2100,  /* empty: its sender has reached the front (ft/recovery/front_wait.h) */
	TAG_COPY = 3000,   /* + number of the partner */
	TAG_CHUNK = 3100,  /* + stripe, also below */
	TAG_FETCH = 3200,
	TAG_BLOCK = 3300,
	TAG_RESULTS = 3400, /* + 1 */
};

struct requests {
	MPI_Request *list;
	int count, capacity;
	int through; /* the first ones, known to be complete */
};

/* After the communicator was revoked: wait for all, with or without errors. */
void requests_drain(struct requests *r);
void requests_free(struct requests *r);

struct link {
	MPI_Comm comm;
	const int *rank; /* np: of each role in it */
	int role, np;
	int status;
	char reason[MPI_MAX_ERROR_STRING];
	struct wait wait;
	struct requests sends, receives; /* of waits at the front and of shared results */
	/* called whenever this role is about to wait, so that what is under way goes on; returns a
	 * status; NULL: nothing is under way */
	int (*background)(void *ctx);
	void *ctx; /* of background */
};

void link_init(struct link *l, int role, int np);
void link_free(struct link *l);
/* Go on with a fresh communicator. rank: not owned. */
void link_connect(struct link *l, MPI_Comm comm, const int *rank);
/* After the communicator was revoked: wait until none of its own requests is left. */
void link_drain(struct link *l);
/* Revoke the communicator and end the link's own requests, because memory that they use will be
 * freed. */
void link_abandon(struct link *l);

/* The status for what an MPI call returned. */
int link_check(struct link *l, int rc);
/* RB_ENOMEM and RB_ELENGTH, also for users of the link. peer: the other role. */
int link_no_memory(struct link *l);
int link_too_long(struct link *l, size_t bytes, int peer);
/* RB_ECORRUPT: a recorded result of a reduction is missing (ft/log/results.h). */
int link_no_result(struct link *l, int64_t iter);
/* RB_ECORRUPT: this role has no copy of a message that it received from that role
 * (ft/log/received.h). */
int link_no_copy(struct link *l, int64_t iter, int peer);
/* RB_ELENGTH: the kernel posts more than MSG_POST_MAX receives at once, or has more than PLACE_MAX
 * operations in an iteration. */
int link_too_many(struct link *l);

/* Begin to receive from a role. */
int link_irecv(struct link *l, void *buf, int count, MPI_Datatype type, int src, int tag,
	       MPI_Request *request);
/* Begin to send or to receive; the request is added to the list. */
int link_isend(struct link *l, struct requests *to, const void *data, int count, MPI_Datatype type,
	       int dst, int tag);
int link_send(struct link *l, struct requests *to, const void *data, size_t bytes, int dst,
	      int tag);
int link_receive(struct link *l, struct requests *from, void *buf, size_t bytes, int src, int tag);
/* *done: all of them are through; the list is empty then. */
int link_test(struct link *l, struct requests *r, bool *done);
/* Wait for all. After a failure the list is kept for requests_drain(). */
int link_wait(struct link *l, struct requests *r);
/* The same; status: room for r->count of them. */
int link_wait_statuses(struct link *l, struct requests *r, MPI_Status *status);

#endif

/* What the parts of the interception share: the library in one process. */
#ifndef ELC_MPI_STATE_H
#define ELC_MPI_STATE_H

#include "elc/core/process.h"
#include "elc/files/commit.h"
#include "elc/wire/copy.h"

#include <mpi.h>

/* A function of MPI that takes the place of MPI's own one, or a function of elc.h. */
#define EXPORT __attribute__((visibility("default")))

/* Has MPI buffers of communicators, and buffers that it makes itself (MPI 4.1)? */
#define ELC_MPI_BUFFERS (MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1))

enum elc_life {
	/* no ELC_DIR, or before MPI_Init(), or after MPI_Finalize(): all calls pass through */
	ELC_OFF,
	ELC_SETUP, /* until elc_restarted() */
	ELC_ON
};

/* What ELC_REPORT prints: lines committed since the start, what of their messages was in transit to
 * this process or an orphan, and seconds. */
struct elc_counts {
	int64_t committed, transit, transit_bytes, orphans;
	int64_t results; /* of collective functions */
	double identify; /* closing the logs and identification */
	double stopped;  /* while the program stood still for what is copied or written */
	double write;    /* files of this process */
	double line;     /* from the cut of this process until it knows of the commit */
	double cut_at;   /* when the last cut began */
};

struct elc_global {
	enum elc_life life;
	int np, rank;           /* in MPI_COMM_WORLD */
	struct elc_owner owner; /* of files; line is set where one is written */
	char dir[ELC_PATH - 128];
	MPI_Comm control; /* of all processes, for messages of the protocol */
	struct elc_process process;
	struct elc_counts counts;
	bool ending; /* in MPI_Finalize(), and all processes are */
	/* elc_comms_sum() at elc_restarted(); later, communicators are only freed */
	uint32_t comms_sum;
	/* that the program has reached since its beginning: after a restart, those before the line
	 * count, too */
	int64_t safe_points;
	int64_t restored; /* the line from which it was restarted; 0: none */
	struct {
		double wall, cpu;
	} began;        /* the end of elc_restarted() */
	long postponed; /* safe points at which a line was due, and requests were active */
};

extern struct elc_global elc;

/* Is a line in progress here, so that messages of the protocol are looked for in every call? */
static inline bool elc_watching(void)
{
	return elc.life == ELC_ON && elc.process.line.phase >= ELC_CUT;
}

/* End the job. */
__attribute__((noreturn, format(printf, 1, 2))) void elc_fatal(const char *format, ...);
/* One line on stderr that begins with "elc: rank N:". */
__attribute__((format(printf, 1, 2))) void elc_say(const char *format, ...);
/* The result of a function of elc/core: a negative one ends the job. */
void elc_check(int rc);
/* The result of a function of MPI that has moved messages: if it failed, the logs are no longer
 * true, and the job ends. */
int elc_succeeded(int rc, const char *function);

/* For tests: ELC_TEST_KILL=RANK:PHASE:LINE kills this rank with SIGKILL at this phase of this
 * line, RANK@STEP at its safe point STEP (from 0; a restarted program comes to that of its cut
 * again), and RANK@STEP:PHASE in the first such phase from then on. The phase "start" is each
 * safe point. */
void elc_moment(const char *moment, int64_t line);

/* --- communicators (comms.c) --- */

struct elc_comm {
	uint32_t id; /* the same in all of its processes, and again after a restart */
	int rank, size;
	int *world; /* ranks in MPI_COMM_WORLD */
	int *here;  /* per rank in MPI_COMM_WORLD: the rank here, or -1 */
	MPI_Comm comm;
	struct elc_collectives *collectives; /* from elc_restarted() on; the process has it */
	uint32_t sum;                        /* of id, rank and world */
	struct elc_comm *next;               /* all that exist */
};

void elc_comms_begin(void);
/* NULL: this communicator is not known; elc_comm_of() ends the job then, in the name of the
 * function. */
struct elc_comm *elc_comm_find(MPI_Comm comm);
struct elc_comm *elc_comm_of(MPI_Comm comm, const char *function);
struct elc_comm *elc_comms_all(void);
uint32_t elc_comms_sum(void);
/* At the end of the set-up: the process counts collective functions on each of them. */
void elc_comms_count(void);

/* --- point-to-point (p2p.c): as the functions of MPI --- */

int elc_send(const char *function, const void *buf, int count, MPI_Datatype type, int dest, int tag,
	     MPI_Comm comm);
int elc_isend(const char *function, const void *buf, int count, MPI_Datatype type, int dest,
	      int tag, MPI_Comm comm, MPI_Request *request);
int elc_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status);
int elc_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request);
/* A message of the program as it is given to MPI's functions; elc_sending_end() comes after the
 * call, with the request that MPI has given; NULL: the message is complete. */
struct elc_sending {
	struct elc_wire w;
	struct elc_copy *copy; /* that must exist until the message is complete */
};

struct elc_sending elc_sending(const void *buf, int count, MPI_Datatype type);
void elc_sending_end(struct elc_sending *s, const MPI_Request *request);
/* Have messages stamps? */
static inline bool elc_stamped(void)
{
	return elc.life != ELC_OFF && elc.process.protocol->stamped;
}
/* Log a send. false: it is suppressed, and must not happen. */
bool elc_may_send(const char *function, const void *buf, int count, MPI_Datatype type, int dest,
		  int tag, MPI_Comm comm);
/* Receive a matched message, and hold it. */
const struct elc_message *elc_take(const struct elc_comm *c, MPI_Message *message,
				   MPI_Status *status);
/* Take the in-transit messages that have come. */
void elc_take_messages(void);
MPI_Status elc_empty_status(void);
/* Give a message that is held to the program. */
int elc_serve(const struct elc_message *m, const struct elc_comm *c, void *buf, int count,
	      MPI_Datatype type, MPI_Status *status);
/* The same, for a request that is complete. */
int elc_serve_request(const struct elc_message *m, const struct elc_comm *c, void *buf, int count,
		      MPI_Datatype type, MPI_Request *request);
/* The status of a message that is held. */
void elc_held_status(const struct elc_message *m, const struct elc_comm *c, MPI_Status *status);

/* --- matched probes (calls.c) --- */

/* Has a matched probe found a message on this communicator that the program has not received? */
bool elc_matches_use(const struct elc_comm *c);
void elc_matches_end(void);

/* --- requests (requests.c) --- */

/* A receive that MPI has not completed. */
struct elc_receive {
	struct elc_pending want;
	const struct elc_comm *comm;
	void *buf;
	MPI_Datatype type;
	bool own_type; /* a duplicate, to be freed */
	int count;
	int64_t *stamp; /* where MPI puts that of the message (malloc); NULL: there are none */
	/* where MPI puts the payload, too, and the stamp is; NULL: the payload goes to buf */
	struct elc_copy *copy;
};

/* A duplicate of a datatype that the program may free. false: it is one of MPI's own, which nobody
 * frees. */
bool elc_own_type(MPI_Datatype *type);

void elc_request_plain(MPI_Request request); /* a send, or a receive that is complete */
/* This memory is freed when the send is complete. */
void elc_request_copy(MPI_Request request, struct elc_copy *copy);
/* The program frees this send. true: its memory is still needed, and its request stays until
 * elc_requests_freed() finds it complete. */
bool elc_request_left(MPI_Request request);
void elc_requests_freed(bool wait);
void elc_request_receive(MPI_Request request, const struct elc_receive *r);
/* A nonblocking collective function that MPI has not completed, and whose result is needed
 * (collectives.h). */
struct elc_call;
void elc_request_call(MPI_Request request, const struct elc_call *call);
bool elc_request_calls(MPI_Request handle);
/* A request that MPI completes at once, with this status. */
int elc_request_completed(const MPI_Status *status, MPI_Request *request);
/* The program has seen the completion of the request that had this handle. */
void elc_request_done(MPI_Request handle, MPI_Status *status);
/* Is this a receive that MPI has not completed, as far as is known? */
bool elc_request_receives(MPI_Request handle);
/* The program has seen that this receive, or collective function, is complete, and may use what it
 * has got; its request stays. */
void elc_request_seen(MPI_Request handle, MPI_Status *status);
/* If it has seen that before: MPI's status becomes that of the message without its stamp. */
void elc_request_look(MPI_Request handle, MPI_Status *status);
/* MPI was asked to cancel this receive; its status will say whether it did. */
void elc_request_cancelled(MPI_Request handle);
size_t elc_requests_active(void);
/* receives; valid until the next call of this library */
size_t elc_requests_pending(struct elc_pending **pending);
/* A receive is complete, or was cancelled (p2p.c). The status becomes that of the message without
 * its stamp. */
void elc_received(const struct elc_receive *r, MPI_Status *status);
void elc_receive_end(const struct elc_receive *r);

/* A persistent request (persistent.c): each start is a request of its own, which takes its place in
 * functions of MPI. */
struct elc_persistent {
	/* NULL: it receives */
	int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
	void *buf;
	int count, peer, tag;
	MPI_Datatype type;
	bool own_type;
	MPI_Comm comm;
	MPI_Request started; /* MPI_REQUEST_NULL: it is not active */
};

void elc_request_persistent(MPI_Request request, struct elc_persistent *p);
struct elc_persistent *elc_request_find(MPI_Request request); /* NULL: it is none */
void elc_request_forget(MPI_Request request);
/* Is there a persistent request on this communicator? */
bool elc_requests_use(MPI_Comm comm);
/* Is this request of the library itself complete, perhaps after a wait? Then MPI has freed it. */
bool elc_request_over(MPI_Request *request, bool wait);
/* Is a receive of this communicator active? */
bool elc_requests_receive(const struct elc_comm *c);

/* What MPI has for a request of the program, and what became of it. */
static inline MPI_Request elc_request_inner(MPI_Request request)
{
	const struct elc_persistent *p = elc_request_find(request);

	return p ? p->started : request;
}

static inline void elc_request_outer(MPI_Request *request, MPI_Request inner)
{
	struct elc_persistent *p = elc_request_find(*request);

	if (p)
		p->started = inner;
	else
		*request = inner;
}

/* --- waiting (waits.c) --- */

int elc_wait(MPI_Request *request, MPI_Status *status);
int elc_waitall(int n, MPI_Request request[], MPI_Status *status);

/* --- the protocol (protocol.c, line.c, restart.c, life.c) --- */

/* Move the line in progress on: messages of the protocol, in-transit messages, its completion. */
void elc_progress(void);
/* Messages of the protocol only: the program's part of a call of MPI is not logged yet. */
void elc_hear(void);
/* Markers: is one of this process waiting for messages of this communicator? Give it to the
 * protocol, if its turn has come. */
bool elc_marker_waits(int from, uint32_t comm);
void elc_marker_place(int from);
void elc_tell_request(int to, int64_t number, const struct elc_set *set);
void elc_tell_complete(int64_t number, const struct elc_sums_of_rank *sums);
void elc_tell_commit(int to, int64_t number);
/* The balance of messages of the protocol, sent and not received, over all processes; for
 * MPI_Finalize(). */
int64_t elc_control_balance(void);
void elc_control_end(void);
/* Events. */
void elc_line_reported(int from, int64_t number, const struct elc_sums_of_rank *sums);
void elc_line_committed(int64_t number);
void elc_line_advance(void);
void elc_line_begin(void); /* in MPI_Init(): how files are written */
void elc_line_end(void);
/* Each process gives a set for every process, and gets those that are for it. */
void elc_exchange_sets(const struct elc_set *to, struct elc_set *from);

/* Registered state. */
struct elc_region {
	int64_t id;
	uint64_t bytes;
	void *state;
};

struct elc_region *elc_regions(size_t *n);

/* A state in a file: these numbers, then id and bytes of each region, then what is in them. */
enum {
	ELC_STATE_REGIONS, /* how many */
	ELC_STATE_COMMS,   /* elc.comms_sum */
	ELC_STATE_SAFE_POINTS,
	ELC_STATE_REGION, /* the first region's */
};
static inline size_t elc_state_head(size_t regions)
{
	return (ELC_STATE_REGION + 2 * regions) * sizeof(uint64_t);
}

/* Read the newest committed line that all can read; 0: there is none. */
int64_t elc_restore(void);

#endif

/* ft/ledger.h - the counts and times of a role, readable after its process was killed.
 *
 * One file per role in the run folder, mapped shared. The page cache outlives a process, so counts
 * written with plain stores survive SIGKILL, a replacement continues them, and the harness reads
 * the outcome of a run (or where each role is stuck) from the files. Units: seconds and bytes.
 * Times are CLOCK_REALTIME seconds since the epoch. -1 = not measured. */
#ifndef FT_LEDGER_H
#define FT_LEDGER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LEDGER_MAGIC = 0x524c4442,
	LEDGER_VERSION = 16,
	LEDGER_EVENTS = 64,
	LEDGER_DROPS = 64,
	LEDGER_SAMPLE = 8,
	LEDGER_WORKS = 256,
	LEDGER_HOLDS = 3
};

enum ledger_phase {
	LEDGER_SETUP,
	LEDGER_STEP,
	LEDGER_CHECKPOINT,
	LEDGER_REPAIR,
	LEDGER_RESTORE,
	LEDGER_REPLAY,
	LEDGER_SUPPORT, /* recomputes on a duplicate, for others */
	LEDGER_BLOCKED, /* at the front, until all have caught up (ft/recovery/front_wait.h) */
	LEDGER_FINISH,  /* iterations done, waits for the other roles */
	LEDGER_VERIFY,
	LEDGER_CLOSE, /* result written, waiting for the closing agreement */
	LEDGER_DONE,
	LEDGER_FAILED, /* status and message say why */
};
const char *ledger_phase_name(enum ledger_phase phase);

/* Where a new process of a role has the kernel's constants from (ft/line/constants.h). */
enum ledger_constants {
	CONSTANTS_NONE, /* the kernel has none */
	CONSTANTS_KEPT, /* those of the process before it */
	CONSTANTS_COMPUTED,
};
const char *ledger_constants_name(enum ledger_constants from);

/* Constants of a role that a process has open; others of its node can open them there. */
struct ledger_holding {
	int64_t pid; /* 0: nothing is open */
	uint64_t inode;
	int32_t node, role, fd, unused;
};

/* One recovery as this role saw it. All roles that took part have the same epoch and set. */
struct ledger_event {
	int64_t epoch;        /* 1 for the first recovery of the run */
	int64_t front_before; /* iteration the role was in; of a dead role: when it died */
	int64_t restart;      /* iteration it resumes with; < front_before if rolled back */
	int32_t died;         /* 1: this role was replaced in this event */
	int32_t rolled_back;  /* 1: in the rollback set */
	int32_t chain;        /* length of the longest rollback chain, the same on all roles */
	int32_t spawned;      /* 1: replaced by a process started for it, not by a spare */
	int64_t replayed, replayed_bytes; /* re-sent to rolled-back roles; > 0: an active role */
	int32_t ops_before;               /* message operations done in front_before */
	int32_t restarted;                /* 1: a new job resumed an earlier one */
	int32_t source;                   /* enum level_source: where the state came from */
	int32_t source_role;              /* the partner, -1: none */
	int32_t constants;                /* enum ledger_constants, of a role that was replaced */
	int32_t recompute;                /* enum ft_recompute: how this recovery was done */
	/* with data-flow rollback: messages from this role to a restarted one; 0: restarted, -1:
	 * takes no part */
	int32_t distance;
	/* then: iterations of the restarted roles that survivors had gone through */
	int64_t lost;
	int64_t supported;       /* iterations that its duplicate was to commit; -1: it had none */
	int64_t duplicate_bytes; /* of the duplicate's regions */
	double support_s;        /* loading it and repeating iterations; -1: not measured */
	double t_resumed;        /* when its state was restored, or it went on without that */
	double t_detect;         /* when this process first saw the error, -1 for a spare */
	double shrink_s;         /* from the error until the survivors agreed on a communicator */
	double repair_s;         /* from the error to the agreed new communicator */
	double restore_s;        /* building and loading the role's state; 0 if not rolled back */
	double replay_s;         /* from resuming until all re-sent messages have left */
	double catchup_s;        /* from resuming until front_before is reached again */
	double wait_s;           /* from resuming until the first iteration is committed */
	double wait_cpu_s;       /* CPU time of the role's thread for waiting during wait_s */
};

/* A channel that the policy switched off (ft/log/log.h). */
struct ledger_drop {
	int64_t iter, bytes;
	int32_t peer;     /* the role at the other end */
	int32_t received; /* 1: from there, kept by this role as their receiver; 0: to there */
};

/* Seconds that committed iterations took, by phase, over all processes that played the role. Only
 * every LEDGER_SAMPLE-th iteration (by its number) is timed, since reading the clock takes time. */
struct ledger_phases {
	int64_t iterations; /* that were timed */
	double total;       /* their time: copy + compute + pack + log + communicate + commit */
	double copy;        /* of the state, before the iteration (ft/role/undo.h) */
	double compute;     /* step(), without the next three */
	double pack;        /* between msg_reserve() and msg_push() */
	double log;         /* finding a slot for a message, in the log or outside */
	double communicate; /* MPI, waiting for others included */
	double commit;      /* of iterations: pointers swapped, and what the kernel does there */
	double aborted;     /* all iterations that were begun and given up, timed or not */
	double clock;       /* cost of measuring: clock readings times the cost of one */
};

/* What the role worked in timed iterations: compute + pack + commit, so without messages and waits,
 * and without the log. If there are more than LEDGER_WORKS of them, every second one is given up,
 * again and again. */
struct ledger_work {
	int32_t count;
	int32_t halved; /* every 2^halved-th timed iteration is here */
	double seconds[LEDGER_WORKS];
};

struct ledger {
	uint32_t magic, version;
	int32_t role;
	int32_t incarnations; /* processes that have played this role */
	int32_t phase;        /* enum ledger_phase */
	int32_t status;       /* enum rb_status; 0 unless phase is LEDGER_FAILED */
	char message[RB_ERROR_MAX];
	int64_t pid;
	struct ledger_holding holds[LEDGER_HOLDS]; /* the first: the role's own */
	char host[64];
	char binding[128];  /* hwloc list of PUs, e.g. "0-1" */
	int64_t iterations; /* of the whole run; at most, until the role has finished */
	int64_t front;      /* iteration the role is in; == iterations when all are committed */
	int64_t executed;   /* commits, over all incarnations */
	int64_t aborted;    /* iterations begun but not committed */
	/* message operations in the iteration it is in; 0 if nobody watches */
	int32_t ops;
	/* 1: from the error that its process saw until the repair has closed */
	int32_t recovering;
	int64_t begun;     /* iterations begun: executed + aborted (+ the one under way) */
	int64_t supported; /* iterations committed on duplicates, besides these */
	/* its entry in the line: newest checkpoint that counts; 0: initial state */
	int64_t line;
	int64_t log_bytes_peak, log_bytes_total; /* of what it has sent and received */
	int64_t received_peak; /* of what it has received alone (ft/log/received.h) */
	/* messages that it took from there, because nobody sent them again */
	int64_t reread, reread_bytes;
	int64_t results_peak; /* bytes of recorded results of reductions */
	/* bytes of the messages of an iteration that are not logged, but kept for one iteration
	 * more */
	int64_t kept_peak;
	int64_t checkpoints, checkpoint_bytes;
	double checkpoint_s;       /* that iterations waited for them */
	double drain_s;            /* from taking to counting */
	int64_t checkpoint_memory; /* bytes of images and parity, of the process that finished */
	double setup_s;            /* kernel create of the first incarnation */
	double loop_s;             /* from t_loop until this role's iterations were done */
	double t_loop;             /* start of the loop */
	struct ledger_phases phases;
	struct ledger_work work;
	int64_t rss_peak; /* bytes, of the process that finished */
	/* bytes that its C library had given out when its iterations were done, and those of the
	 * kernel's constants outside of that; -1: it does not tell */
	int64_t heap;
	int64_t log_memory; /* bytes that it mapped for payloads, and of its list of entries */
	int32_t verdict_ok;
	char verdict_what[32], verdict_note[96];
	double value, reference, tolerance;
	uint64_t hash[2]; /* XXH3-128 of the role's persistent state {low, high} */
	/* front when the result was written; -1: not yet, or the role went back since */
	int64_t finished_at;
	int64_t refusals;           /* checkpoints that could not be loaded */
	char refusal[RB_ERROR_MAX]; /* the last of them: which, and why */
	int64_t reductions;         /* times that the core's power was reduced, and seconds */
	double reduced_s;
	char power_trouble[RB_ERROR_MAX]; /* "", or why the last reduction that failed did so */
	int64_t drop_count; /* channels switched off, all incarnations; the first are kept */
	struct ledger_drop drop[LEDGER_DROPS];
	int64_t last_epoch;  /* of the newest event */
	int32_t event_count; /* may exceed LEDGER_EVENTS; only the first ones are kept */
	struct ledger_event event[LEDGER_EVENTS];
};

/* Map role's ledger in folder `dir`, creating it if absent. NULL with err on failure, or if there
 * is one that another version has written. */
struct ledger *ledger_open(const char *dir, int role, struct rb_error *err);
void ledger_sync(struct ledger *l); /* msync: before the closing agreement */
void ledger_close(struct ledger *l);
/* Map a ledger to watch its role, which may be writing. NULL: there is none yet, or not one of this
 * role and version. */
const struct ledger *ledger_map(const char *dir, int role);
void ledger_unmap(const struct ledger *l); /* NULL is fine */
/* When the first of np roles began the loop; NaN: none has. */
double ledgers_begun(const struct ledger *ledger, int np);
/* The newest checkpoint that counts according to the ledgers; 0: none. */
int64_t ledger_newest_line(const char *dir, int np);
/* The event of that repair; NULL: the role had none, or it is lost. */
const struct ledger_event *ledger_event_of(const struct ledger *l, int64_t epoch);
/* Copy a finished (or dead) role's ledger. RB_OK, RB_EIO (absent), RB_ECORRUPT; then out->magic is
 * LEDGER_MAGIC if it is a ledger of another role or version. */
int ledger_read(const char *dir, int role, struct ledger *out, struct rb_error *err);
/* Those of all roles; one that cannot be read is all zero. out: np. */
void ledger_read_all(const char *dir, int np, struct ledger *out);

#endif

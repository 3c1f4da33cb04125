/* ft/config.h - the configuration of a protected run, set before it starts. */
#ifndef FT_CONFIG_H
#define FT_CONFIG_H

#include "ft/ledger.h"
#include "ft/levels.h"
#include "ft/log/policy.h"
#include "ft/log/schedule.h"
#include "contract/kernel.h"

#include <sched.h>

/* Points that are reported to a hook, so that it can inject failures. iter is the iteration of the
 * role, at FT_CHECKPOINT that of the checkpoint, and from FT_RECOVERY to FT_BLOCKED the one in
 * which the failure found it. */
enum ft_point {
	FT_START,     /* of an iteration */
	FT_SEND,      /* between its first and its second send */
	FT_OPERATION, /* any send or wait: op counts them from 1 */
	FT_COMMIT,    /* computed and communicated, not yet committed */
	/* half of a checkpoint is written, or all of it is on its way to other roles */
	FT_CHECKPOINT,
	FT_RECOVERY, /* saw the failure; a role has not yet revoked, except in a restoration */
	FT_REPAIR,   /* about to take part in the repair */
	FT_RESTORE,  /* rolling back: the kernel's constants are there, the state is not */
	FT_REPLAY,   /* half of the messages to be re-sent are posted */
	FT_SUPPORT,  /* before each iteration of its duplicate */
	FT_BLOCKED,  /* at the front of a recovery, once it has begun to save power */
	FT_IDLE,     /* a spare, before each nap; iter is 0 */
	FT_CLOSED,   /* all results are written: later failures do not affect the run */
};

/* What MPI_Pcontrol() is told, so that profilers can tell the messages of iterations from all
 * others. */
enum { FT_PHASE_ENGINE, FT_PHASE_ITERATIONS };

/* What a process does within a phase of its role, or as a spare. They are not nested. */
enum ft_activity {
	FT_WAITING,   /* for messages of other roles */
	FT_STANDBY,   /* a spare, until all roles are through or a failure is seen */
	FT_ADOPTING,  /* it becomes the process of a role, which hooks.adopted is told in between */
	FT_REVOKING,  /* the communicator, after it has seen a failure */
	FT_AGREEING,  /* at the end of an epoch, or on a step of the repair */
	FT_DRAINING,  /* it gives up what the failure has interrupted: requests, copies */
	FT_SHRINKING, /* the communicator to one of the living */
	FT_GATHERING, /* what the living know: fronts and checkpoints, what logs lack */
	FT_SPAWNING,  /* it starts a process, which then joins */
	FT_ACTIVITIES
};

struct ft_hooks {
	void *ctx;
	/* NULL: none. role -1: a spare, at FT_RECOVERY, FT_REPAIR, FT_IDLE and FT_CLOSED. */
	void (*reached)(void *ctx, int role, int64_t iter, enum ft_point point, int op);
	/* This process now plays role (at the start and when a spare takes over). */
	void (*adopted)(void *ctx, int role, struct ledger *ledger);
	/* Called at each change of phase and each new iteration, so that meters and timelines know
	 * what the time that follows belongs to. NULL: nobody asks. */
	void (*enters)(void *ctx, int64_t iter, enum ledger_phase phase);
	/* It begins or ends this. NULL: nobody draws a timeline. */
	void (*does)(void *ctx, enum ft_activity what, bool begins);
};

static inline void ft_does(const struct ft_hooks *hooks, enum ft_activity what, bool begins)
{
	if (hooks->does)
		hooks->does(hooks->ctx, what, begins);
}

/* Where the replacement of a dead process comes from. */
enum ft_replace {
	FT_SPARE, /* a process that was started with the others and has waited */
	FT_SPAWN, /* a spare if one is left, else MPI_Comm_spawn starts a new one */
};

/* What is done about a death. */
enum ft_strategy {
	FT_GO_ON, /* the job goes on: ULFM, replacement, rollback that follows from the policy */
	/* the job dies and a new one resumes (ft/recovery/restart.h); works with any MPI */
	FT_RESTART,
};

/* What a role does that lacks a log of what others need. */
enum ft_recompute {
	FT_ROLLBACK, /* it goes back to the recovery line */
	FT_DATAFLOW, /* it keeps its state and recomputes on a duplicate (ft/recovery/cone.h) */
	/* the same, and each duplicate repeats all iterations that the role has gone through */
	FT_FLAT,
};

static inline bool ft_is_dataflow(enum ft_recompute how)
{
	return how == FT_DATAFLOW || how == FT_FLAT;
}

/* How an iteration that a failure has interrupted can be begun again. */
enum ft_transaction {
	FT_SWAP, /* it computes out of place, and its commit swaps pointers */
	/* the state is copied before each iteration, and copied back if the iteration is given
	 * up (ft/role/undo.h); so the kernel may update it in place */
	FT_COPY,
};

/* What blocked roles do while others catch up (ft/recovery/front_wait.h). */
struct ft_power {
	bool waits_at_front; /* false: they wait in MPI, and nothing below applies */
	bool sleeps;         /* wait without spinning */
	void *ctx;
	void (*reduce)(void *ctx, bool on); /* NULL, or set and reset the core's power */
	/* NULL, or slow the others down until they are at the front; twice the same has no
	 * effect */
	void (*slow)(void *ctx, bool on);
};

/* What is done about arrays that the kernel computes once. */
enum ft_constants {
	FT_KEEP,    /* they outlive the process (ft/line/constants.h) */
	FT_COMPUTE, /* each process computes them */
};

struct ft_config {
	const struct kernel_ops *kernel;
	struct kernel_args args;
	const char *params;   /* canonical text of args, to tell checkpoints apart */
	struct policy policy; /* role and np are filled in by each role */
	enum ft_strategy strategy;
	enum ft_replace replace;
	enum ft_recompute recompute;
	enum ft_transaction transaction;
	enum ft_constants constants;
	/* FT_SPAWN: what to start, with these arguments (NULL at the end) */
	const char *program;
	char **program_args;
	int np;                   /* roles; the job has np + spares processes */
	int64_t iterations;       /* at most; kernel->finished may end the loop sooner */
	struct schedule schedule; /* of checkpoints */
	struct levels levels;     /* where checkpoints are kept */
	/* iterations from taking a checkpoint to its counting; if it is not ready then, the role
	 * waits. 0: at once; negative: as soon as it is ready, and no role waits before the next
	 * one is due */
	int64_t lag;
	struct ft_power power;
	/* where other threads of the role may run; none: where the role runs */
	cpu_set_t helpers;
	int here; /* node that this process is on, to place copies elsewhere */
	/* a negative control: one message of a replay has the payload of another
	 * (ft/msg/replay.h) */
	bool stale_replay;
	/* iterations in a block of a paired run (ft/role/unprotected.h); 0: a plain run */
	int64_t paired;
	const char *dir; /* run folder: ledgers and checkpoints, seen by all hosts */
	struct ft_hooks hooks;
};

/* Does the run keep what data-flow rollback needs? Not without protection. */
static inline bool ft_uses_dataflow(const struct ft_config *cfg)
{
	return ft_is_dataflow(cfg->recompute) && cfg->policy.ops != &policy_off;
}

#endif

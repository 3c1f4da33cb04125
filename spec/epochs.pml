/* spec/epochs.pml - the epochs of Rollbench as a Promela model: what happens between a death and the end of the run.
 *
 * spec/README.md says what is modelled, under which assumptions, and what `spec/run` has found. Behind each part stands
 * the function that it models. Data is modelled as iteration numbers: the state of a role, a message and an image are
 * each named by the iteration that they belong to. Every step between two places where a process can be killed is atomic.
 *
 * Sizes and variants are set with -D, see spec/run. */

#ifndef ROLES
#define ROLES 2
#endif
#ifndef SPARES
#define SPARES 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef LENGTH
#define LENGTH 3   /* iterations */
#endif
#ifndef INTERVAL
#define INTERVAL 2 /* iterations between two checkpoints */
#endif

#define PROCESSES (ROLES + SPARES)
#define BIT(x) (1 << (x))
#define ALL_ROLES (BIT(ROLES) - 1)
#define FINISHED 255 /* in votes[]: the role is in the barrier behind the loop */
#define NONE 255
#define DST(r) (((r) + 1) % ROLES)          /* roles stand in a ring: each sends to the next one */
#define SRC(r) (((r) + ROLES - 1) % ROLES)
#define BEFORE(i) (BIT(i) - 1)              /* the iterations before i, as a set */

/* Which messages are logged (ft/log/policy.h). The default is "all"; with POLICY_ANY each message is logged or not, so that
 * all policies are among the cases. */
#if defined(POLICY_NONE)
#define ADMITS(r) false
#elif defined(POLICY_WINDOW)
#define ADMITS(r) (front[r] - (taken[r] -> taken[r] : line[r]) < 1)
#elif defined(POLICY_TEAMS)
#define ADMITS(r) ((r) / 2 != DST(r) / 2)
#else
#define ADMITS(r) true
#endif

/* Places of the model. A case of spec/run claims that one of them is never reached, and spin must find that wrong: so the
 * model does reach it, with the same sizes, in the cases that hold. */
#define PLACE_REPLAY 1        /* a logged message is sent again */
#define PLACE_SUPPRESSED 2    /* a repeated send is suppressed */
#define PLACE_CHAIN 3         /* a role that lives goes back */
#define PLACE_LATE_COUNT 4    /* a repair tells a role that its checkpoint counts */
#define PLACE_STALE 5         /* shrink keeps a process that is dead */
#define PLACE_AGAIN 6         /* a pass of a repair fails */
#define PLACE_RECALL 7        /* all roles have died, so ledgers tell the line */
#define PLACE_LATE_END 8      /* somebody died, but the results are known to be written */
#define PLACE_OUT_OF_SPARES 9
#define PLACE_IN_REPLAY 11    /* a role dies that has entered the epoch and has not restored its state */
#define PLACE_DONE_AFTER 10   /* the run is done after all deaths */
#define PLACE_LISTED 12       /* holes are gathered */
#define PLACE_NOTHING_LISTED 13 /* there is none to gather */
#ifndef REACH
#define REACH 0
#endif
#define AT(place) assert(REACH != place)

/* ---- Processes ---------------------------------------------------------------------------------------------------- */
byte here = BIT(PROCESSES) - 1; /* set of processes: alive, and not gone by their own will */
byte fresh;                     /* died, and perhaps nobody knows of it */
byte kills = KILLS;             /* still to come */
byte done, lacking;             /* those that have ended: as done, as out of spares */

/* ---- Membership (ft/recovery/membership.h) ------------------------------------------------------------------------- */
byte world = BIT(PROCESSES) - 1; /* members of the communicator of this epoch */
byte who[ROLES];                 /* the process that plays a role */
bool lost;                       /* revoked; everybody has it, so the revocation reaches everybody sooner or later */

/* ---- A pass of the repair (struct pass of ft/recovery/repair.c) ---------------------------------------------------- */
byte next;             /* members of the communicator that shrink has made */
byte crew;             /* of them those that play roles, in assign_roles() */
byte built;            /* who has built it */
byte told;             /* who has learnt of a death in it since: its collectives fail there */
byte cut;              /* where its revocation has arrived; who has not built it yet never sees that */
byte shortage;         /* roles without a spare to take them */
bool listed;           /* a living role has a hole to tell of */
byte rolled;           /* set of roles: they go back, and have not yet entered the epoch */

/* ---- The agreement under way (MPIX_Comm_agree, MPIX_Comm_iagree, and the one within MPIX_Comm_shrink) ------------- */
mtype = { CLOSE, SHRINK, BUILT, LAST };
mtype site;            /* which of them; its place in the program stands for its number on its communicator */
byte in, got;          /* who has come, and for whom the result is ready */
byte yes;              /* who has come with `ok`; for CLOSE: with THROUGH */
byte unaware;          /* CLOSE: who has come with UNAWARE */
bool agreed, unknown; /* the result; unknown: that of UNAWARE */
byte entered;          /* who has entered the collective that is not an agreement */
byte entered_next;     /* the one that follows it without an agreement between them */

/* ---- Roles (struct role) ------------------------------------------------------------------------------------------- */
byte front[ROLES];     /* the iteration it is in */
bool loaded[ROLES];    /* restored: the kernel's state is that of iteration front */
byte line[ROLES];      /* the newest checkpoint that counts for it */
byte taken[ROLES];     /* the checkpoint under way (save.iter), 0: none */
byte votes[ROLES];     /* the newest checkpoint whose barrier it has entered in this epoch */
byte logged[ROLES];    /* set of iterations: the message to the next role is in the log */
byte hole[ROLES];      /* 1 + the newest iteration that is not; 0: none */
byte hole_prev[ROLES];
byte resume[ROLES];    /* rec.front: where each role has resumed in this epoch; the same for all */
chan wire[ROLES] = [LENGTH + 1] of { byte }; /* what is on its way to a role in this epoch */

/* ---- What outlives a process --------------------------------------------------------------------------------------- */
byte images[ROLES];    /* set of iterations: the image is in a file */
byte ledger[ROLES];    /* ledger.line */
byte results;          /* set of roles: the result is in the ledger (ledger.finished_at) */
#ifdef SKEWED
byte image_log[ROLES]; /* the log that belongs to the image of line */
#endif

/* For use within one step. */
byte a, b, c, newest;
bool more, ok;

#define GONE(p) (!(here & BIT(p)))
#define DEATH_IN(set) ((set) & ~here)
#define PLAYING (BIT(who[0]) | BIT(who[1]) | BIT(who[2 % ROLES]) | BIT(who[3 % ROLES]))
#define ROLE_IS_GONE (GONE(who[0]) || GONE(who[1]) || (ROLES > 2 && GONE(who[2 % ROLES])) || \
		      (ROLES > 3 && GONE(who[3 % ROLES])))
#define ALL_VOTED(v) (votes[0] >= (v) && votes[1] >= (v) && votes[2 % ROLES] >= (v) && votes[3 % ROLES] >= (v))
#define ALIVE_VOTED(v) ((GONE(who[0]) || votes[0] >= (v)) && (GONE(who[1]) || votes[1] >= (v)) && \
			(GONE(who[2 % ROLES]) || votes[2 % ROLES] >= (v)))
#define ALL_HAVE_IMAGE(v) (images[0] & images[1] & images[2 % ROLES] & images[3 % ROLES] & BIT(v))

#include "log.pml"
#include "repair.pml"
#include "mpi.pml"

/* ---- A process ----------------------------------------------------------------------------------------------------- */
#ifdef ONE_BIT
#define KNOWN false
#else
#define KNOWN (!unknown) /* somebody who lives knows that all results are written */
#endif

#ifdef ERROR_SKIPS_AGREEMENT
#define CLOSING skip_it
#else
#define CLOSING closing
#endif

/* Roles revoke, spares do not (close_epoch()), and the process is in the closing agreement. */
inline give_up()
{
#ifndef NOT_REVOKED
	if
	:: role != NONE -> lost = true
	:: else
	fi;
#endif
#ifndef ERROR_SKIPS_AGREEMENT
	unaware = unaware | ME;
	come(CLOSE, false)
#endif
}

#define ALL_LOST (!(next & PLAYING))

/* A collective of a repair fails: the communicator is revoked, and the process is in the last agreement. */
#define FAILS (((cut | told) & ME) || PARTNER_IS_DEAD(next))
inline fail()
{
	cut = cut | built;
	come(LAST, false)
}

#ifdef CHECKPOINT_AGREED
#define MAY_GO_ON(r) (taken[r] == 0) /* what waits in MPIX_Comm_agree() does nothing else */
#else
#define MAY_GO_ON(r) true
#endif

/* Go back to the old communicator. */
inline again()
{
	AT(PLACE_AGAIN);
	come(SHRINK, true);
	goto shrunk
}

/* player_enter() and replay() */
inline enter_epoch()
{
	a = 0;
	do
	:: a < ROLES && who[a] != me -> a++
	:: else -> break
	od;
	role = (a < ROLES -> a : NONE);
	if
	:: role != NONE ->
		ledger[role] = line[role];
		if
		:: rolled & BIT(role) ->
			rolled = rolled & ~BIT(role);
			results = results & ~BIT(role)
		:: else
		fi;
		begin_if_due(role);
		a = resume[DST(role)];
		do
		:: a < front[role] ->
			if
			:: logged[role] & BIT(a) -> wire[DST(role)]!a; AT(PLACE_REPLAY)
			:: else
			fi;
			a++
		:: else -> break
		od
	:: else -> entered = entered | ME
	fi;
	a = 0
}

proctype process(byte me)
{
	byte role = NONE;

	{
	if
	:: atomic { me < ROLES -> role = me; goto work }
	:: atomic { me >= ROLES -> entered = entered | ME; goto meeting }
	fi;

work:	/* restore() of ft/line/restore.c; begin_epoch() has looked whether the image is there */
	if
	:: d_step { !loaded[role] -> loaded[role] = true }
	:: loaded[role]
	:: atomic { lost -> give_up(); goto CLOSING }
	fi;
	do
	:: front[role] == LENGTH && taken[role] == 0 -> break
#ifdef SKEWED
	:: d_step { taken[role] -> /* it counts as soon as it is written */
		images[role] = images[role] | BIT(taken[role]);
		image_log[role] = logged[role] & BEFORE(taken[role]);
		ledger[role] = taken[role];
		conclude(role, taken[role]);
		begin_if_due(role) }
#else
	:: d_step { taken[role] && votes[role] != taken[role] -> /* look(): written, and in the barrier */
#ifdef ONE_GENERATION
		images[role] = BIT(taken[role]);
#else
		images[role] = images[role] | BIT(taken[role]);
#endif
		votes[role] = taken[role] }
#if defined(CHECKPOINT_AGREED)
	   if /* MPIX_Comm_agree() of the roles: a revocation does not end it */
	   :: atomic { ALIVE_VOTED(taken[role]) && ROLE_IS_GONE -> give_up(); goto CLOSING }
	   :: d_step { ALL_VOTED(taken[role]) ->
		ledger[role] = taken[role];
		conclude(role, taken[role]);
		begin_if_due(role) }
	   fi
	:: d_step { false ->
#elif defined(COUNTS_ALONE)
	:: d_step { taken[role] && votes[role] == taken[role] ->
#else
	:: d_step { taken[role] && votes[role] == taken[role] && ALL_VOTED(taken[role]) -> /* conclude() */
#endif
		ledger[role] = taken[role];
		conclude(role, taken[role]);
		begin_if_due(role) }
#endif
	:: atomic { lost || (front[role] < LENGTH && GONE(who[DST(role)])) ||
		    (taken[role] && GONE(who[SRC(role)])) -> give_up(); goto CLOSING }
	:: atomic { front[role] < LENGTH && !(DUE(role) && taken[role] != front[role]) && MAY_GO_ON(role) ->
		/* iterate(): push() of ft/msg/logging_port.c */
		if
		:: front[role] >= resume[DST(role)] ->
			log_message(role);
			wire[DST(role)]!front[role]
		:: else -> /* it has had it: suppressed */
#ifndef PAST_NOT_LOGGED
			log_message(role);
#endif
#ifdef NOT_SUPPRESSED
			wire[DST(role)]!front[role];
#endif
			AT(PLACE_SUPPRESSED)
		fi
	   };
	   if
	   :: atomic { /* plain_wait(), then commit() and the next save_step() */
		wire[role]?a ->
		d_step {
			assert(loaded[role]);
			assert(a == front[role]);
			a = 0;
			front[role]++;
			hole_prev[role] = 0;
			begin_if_due(role)
		} }
	   :: atomic { lost || GONE(who[SRC(role)]) -> give_up(); goto CLOSING }
	   fi
	od;
	votes[role] = FINISHED; /* finish() of ft/role/finish.c: a barrier, then the result is written */
	if
	:: atomic { ALL_VOTED(FINISHED) ->
		assert(len(wire[role]) == 0);
#ifndef RESULTS_LATE
		results = results | BIT(role);
#endif
		entered = entered | ME }
	:: atomic { lost || GONE(who[SRC(role)]) -> give_up(); goto CLOSING }
	fi;

meeting: /* meet(): a barrier of all */
	if
	:: atomic { (entered & world) == world -> come(CLOSE, true) }
	:: atomic { lost || DEATH_IN(world) -> give_up(); goto CLOSING }
	fi;

closing: /* agree() of ft/episode.c. The value is the same for all; whether a death is reported may differ. */
	atomic {
		got & ME ->
		if
		:: ok = agreed || KNOWN
		:: DEATH_IN(world) & ~done -> ok = KNOWN; if :: ok -> AT(PLACE_LATE_END) :: else fi
		fi;
		got = got & ~ME;
		if
		:: got == 0 -> agreed = false; unknown = false
		:: else
		fi;
		if
		:: ok ->
#ifdef RESULTS_LATE
			ok = false;
			goto write
#else
			ok = false;
			assert(results == ALL_ROLES);
			assert(REACH != PLACE_DONE_AFTER || kills);
			done = done | ME;
			here = here & ~ME; /* this ends the process */
			goto leave
#endif
		:: else
		fi;
#ifdef ERROR_SKIPS_AGREEMENT
skip_it:
#endif
		if /* player_abort() */
		:: role != NONE -> abort_iteration(role)
		:: else
		fi;
		come(SHRINK, true)
	};

shrunk:	/* attempt() of ft/recovery/repair.c */
	atomic {
		hear();
#ifdef SHRINK_DIFFERS
		if
		:: DEATH_IN(next) -> again()
		:: true
		fi;
#endif
		ok = false;
		built = built | ME;
#ifndef NO_AGREEMENT_BEHIND_SHRINK
		come(BUILT, true)
	};
	atomic {
		hear();
		if
		:: !ok -> again()
		:: else -> ok = false
		fi;
#endif
		entered = entered | ME
	};
	if /* gather_statuses() */
	:: atomic { (entered & next) == next ->
		if
		:: !shortage && (ALL_LOST || listed) -> entered_next = entered_next | ME
		:: else ->
			if
			:: !shortage -> AT(PLACE_NOTHING_LISTED)
			:: else
			fi;
			come(LAST, true);
			goto last
		fi
	   }
	:: atomic { FAILS -> fail(); goto last }
	fi;
	if /* recall() if all roles are lost, else extent_gather() */
	:: atomic { (entered_next & next) == next ->
		if
		:: ALL_LOST -> AT(PLACE_RECALL)
		:: else -> AT(PLACE_LISTED)
		fi;
		come(LAST, true)
	   }
	:: atomic { FAILS -> fail() }
	fi;
last:	atomic {
		hear();
		if
		:: !ok -> again()
		:: else -> ok = false
		fi;
		if
		:: shortage ->
			AT(PLACE_OUT_OF_SPARES);
			assert(KILLS - kills > SPARES);
			lacking = lacking | ME;
			here = here & ~ME;
			goto leave
		:: else
		fi;
		assert(world & ME);
		enter_epoch();
		if
		:: role == NONE -> goto meeting
		:: else -> goto work
		fi
	};
#ifdef RESULTS_LATE
write:	skip; /* here it may be killed */
	atomic {
		if
		:: role != NONE -> results = results | BIT(role)
		:: else
		fi;
		done = done | ME;
		here = here & ~ME
	};
#endif
leave:	skip
	}
	unless { d_step { !(here & ME) -> role = 0 } }
}

init { atomic {
	d_step {
		a = 0;
		do
		:: a < ROLES -> who[a] = a; loaded[a] = true; images[a] = 1; a++
		:: else -> break
		od;
		a = 0
	};
	do
	:: a < PROCESSES -> run process(a); a++
	:: else -> break
	od;
	a = 0
} }

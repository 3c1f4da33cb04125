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

/* Each place is claimed never to be reached in a case of its own, where spec/run expects an error: so the others reach it. */
#if defined(REACH_REPLAY)
#define AT_REPLAY assert(false)
#elif defined(REACH_SUPPRESSED)
#define AT_SUPPRESSED assert(false)
#elif defined(REACH_CHAIN)
#define AT_CHAIN assert(false)
#elif defined(REACH_LATE_COUNT)
#define AT_LATE_COUNT assert(false)
#elif defined(REACH_STALE)
#define AT_STALE assert(false)
#elif defined(REACH_LATE_END)
#define AT_LATE_END assert(false)
#elif defined(REACH_OUT_OF_SPARES)
#define AT_OUT_OF_SPARES assert(false)
#elif defined(REACH_RECALL)
#define AT_RECALL assert(false)
#elif defined(REACH_AGAIN)
#define AT_AGAIN assert(false)
#elif defined(REACH_DONE_AFTER)
#define AT_DONE assert(kills)
#endif
#ifndef AT_REPLAY
#define AT_REPLAY skip
#endif
#ifndef AT_SUPPRESSED
#define AT_SUPPRESSED skip
#endif
#ifndef AT_CHAIN
#define AT_CHAIN skip
#endif
#ifndef AT_LATE_COUNT
#define AT_LATE_COUNT skip
#endif
#ifndef AT_STALE
#define AT_STALE skip
#endif
#ifndef AT_LATE_END
#define AT_LATE_END skip
#endif
#ifndef AT_OUT_OF_SPARES
#define AT_OUT_OF_SPARES skip
#endif
#ifndef AT_RECALL
#define AT_RECALL skip
#endif
#ifndef AT_AGAIN
#define AT_AGAIN skip
#endif
#ifndef AT_DONE
#define AT_DONE skip
#endif

/* ---- Processes ---------------------------------------------------------------------------------------------------- */
byte here = BIT(PROCESSES) - 1; /* set of processes: alive, and not gone by their own will */
byte fresh;                     /* died, and perhaps nobody knows of it */
byte kills = KILLS;             /* still to come */
byte done, lacking;             /* those that have ended: as done, as out of spares */

/* ---- Membership (ft/recovery/membership.h) ------------------------------------------------------------------------- */
byte world = BIT(PROCESSES) - 1; /* members of the communicator of this epoch */
byte who[ROLES];                 /* the process that plays a role; its communicator of workers has these members */
bool lost_world, lost_workers;   /* revoked; everybody has both, so the revocation reaches everybody sooner or later */

/* ---- A pass of the repair (struct pass of ft/recovery/repair.c) ---------------------------------------------------- */
byte next;             /* members of the communicator that shrink has made */
byte crew;             /* of them those that will play roles */
byte built;            /* who has built it */
byte told;             /* who has learnt of a death in it since: its collectives fail there */
byte cut;              /* where its revocation has arrived; who has not built it yet never sees that */
byte crew_built, crew_told, crew_cut; /* the same of the communicator of workers that split has made */
byte shortage;         /* roles without a spare to take them */
byte rolled;           /* set of roles: they go back, and have not yet entered the epoch */

/* ---- The agreement under way (MPIX_Comm_agree, MPIX_Comm_iagree, and the one within MPIX_Comm_shrink) ------------- */
mtype = { CLOSE, SHRINK, BUILT, STATUS, RECALL, SPLIT, LAST };
mtype site;            /* which of them; its place in the program stands for its number on its communicator */
byte in, got;          /* who has come, and for whom the result is ready */
byte yes;              /* who has come with `ok`; for CLOSE: with THROUGH */
byte unaware;          /* CLOSE: who has come with UNAWARE */
bool agreed, unknown; /* the result; unknown: that of UNAWARE */
#ifdef NO_AGREEMENT_BEHIND_SPLIT
byte talking;
#endif
byte entered;          /* who has entered the collective that is not an agreement */

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
#define WORKERS_SEE_DEATH (GONE(who[0]) || GONE(who[1]) || (ROLES > 2 && GONE(who[2 % ROLES])) || \
			   (ROLES > 3 && GONE(who[3 % ROLES])))
#define ALL_VOTED(v) (votes[0] >= (v) && votes[1] >= (v) && votes[2 % ROLES] >= (v) && votes[3 % ROLES] >= (v))
#define ALIVE_VOTED(v) ((GONE(who[0]) || votes[0] >= (v)) && (GONE(who[1]) || votes[1] >= (v)) && \
			(GONE(who[2 % ROLES]) || votes[2 % ROLES] >= (v)))
#define OLDEST_IS_KEPT(v) (images[0] & images[1] & images[2 % ROLES] & images[3 % ROLES] & BIT(v))

/* ---- Logs (ft/log/log.c) ------------------------------------------------------------------------------------------- */
/* log_restart() */
inline empty_log(r, from)
{
	hole[r] = from;
	hole_prev[r] = 0;
#if defined(SKEWED) && !defined(IMAGE_WITHOUT_LOG)
	logged[r] = image_log[r] & BEFORE(from);
#else
	logged[r] = 0;
#endif
}

/* log_append() or log_skip() of the message of this iteration */
inline log_message(r)
{
	if
#ifdef POLICY_ANY
	:: logged[r] = logged[r] | BIT(front[r])
	:: hole_prev[r] = hole[r]; hole[r] = front[r] + 1
#else
	:: ADMITS(r) -> logged[r] = logged[r] | BIT(front[r])
	:: else -> hole_prev[r] = hole[r]; hole[r] = front[r] + 1
#endif
	fi
}

/* log_abort() */
inline abort_iteration(r)
{
	logged[r] = logged[r] & BEFORE(front[r]);
	if
	:: hole[r] == front[r] + 1 -> hole[r] = hole_prev[r]
	:: else
	fi;
	hole_prev[r] = 0
}

/* conclude() of ft/line/save.c with log_trim(): the checkpoint counts, and what was sent before it is forgotten. */
inline conclude(r, iter)
{
	line[r] = iter;
#ifndef SKEWED
	logged[r] = logged[r] & ~BEFORE(line[r]);
	if
	:: hole[r] < line[r] -> hole[r] = line[r]
	:: else
	fi;
#endif
	taken[r] = 0
}

/* save_step(): a checkpoint is taken. The one before must count first. */
#define DUE(r) (front[r] < LENGTH && front[r] > line[r] && front[r] % INTERVAL == 0)
inline begin_if_due(r)
{
	if
	:: DUE(r) && taken[r] == 0 ->
		taken[r] = front[r];
#ifdef TRIM_WHEN_TAKEN
		logged[r] = logged[r] & ~BEFORE(front[r])
#endif
	:: else
	fi
}

/* ---- Deaths -------------------------------------------------------------------------------------------------------- */
/* What a process had in memory is gone. If it had come to the last agreement of a repair, its status may still be used. */
inline forget(r)
{
	front[r] = 0; loaded[r] = false; line[r] = 0; taken[r] = 0;
	logged[r] = 0; hole[r] = 0; hole_prev[r] = 0
}

inline kill(p)
{
	d_step {
		here = here & ~BIT(p);
		fresh = fresh | BIT(p);
		got = got & ~BIT(p);
		kills--;
		if
		:: next & BIT(p) -> told = told | built
		:: else
		fi;
		if
		:: crew & BIT(p) -> crew_told = crew_told | crew_built
		:: else
		fi;
		a = 0;
		do
		:: a < ROLES ->
			if
			:: who[a] == p && !(site == LAST && (in & BIT(p))) -> forget(a)
			:: else
			fi;
			a++
		:: else -> break
		od;
		a = 0
	}
}

active proctype killer()
{
end:	do
	:: kills && (here & 1) -> kill(0)
	:: kills && (here & 2) -> kill(1)
	:: kills && (here & 4) -> kill(2)
#if ROLES + SPARES > 3
	:: kills && (here & 8) -> kill(3)
#endif
#if ROLES + SPARES > 4
	:: kills && (here & 16) -> kill(4)
#endif
#if ROLES + SPARES > 5
	:: kills && (here & 32) -> kill(5)
#endif
	od
}

/* When a spare takes its role: with the last agreement of a repair, in begin_epoch(). */
#ifdef ROLES_TAKEN_EARLY
#define EARLY true
#else
#define EARLY false
#endif

/* ---- What all compute alike from the gathered statuses (ft/recovery/repair.c) ------------------------------------- */
/* assign_roles(): lost roles, in ascending order, go to spares in rank order. */
inline assign_roles(at_last, missing)
{
	missing = 0;
	crew = 0;
	a = 0;
	do
	:: a < ROLES ->
		if
		:: next & BIT(who[a]) -> crew = crew | BIT(who[a])
		:: else
		fi;
		a++
	:: else -> break
	od;
	a = 0;
	b = 0; /* the spare that is looked at */
	do
	:: a < ROLES ->
		if
		:: next & BIT(who[a])
		:: else ->
			do
			:: b < PROCESSES && (!(next & BIT(b)) || (crew & BIT(b))) -> b++
			:: else -> break
			od;
			if
			:: b < PROCESSES ->
				crew = crew | BIT(b);
				if
				:: at_last -> who[a] = b
				:: else
				fi
			:: else -> missing++
			fi
		fi;
		a++
	:: else -> break
	od;
	a = 0;
	b = 0
}

/* take_statuses() and draw_line(), or recall() where no role is left that knows: the newest checkpoint that counts. */
inline draw_line()
{
	newest = 0;
	more = true; /* all roles are lost */
	a = 0;
	do
	:: a < ROLES ->
		if
		:: rolled & BIT(a)
		:: else ->
			more = false;
			if
			:: line[a] > newest -> newest = line[a]
			:: else
			fi
		fi;
		a++
	:: else -> break
	od;
	a = 0;
	do
	:: more && a < ROLES ->
		if
		:: ledger[a] > newest -> newest = ledger[a]
		:: else
		fi;
		a++
	:: else -> break
	od;
	a = 0
}

#ifdef SKEWED
#define LINE(r) ((rolled & BIT(r)) && GONE(who[r]) -> ledger[r] : line[r])
#else
#define LINE(r) newest
#endif
#define FROM(r) ((rolled & BIT(r)) -> resume[r] : front[r]) /* where a role resumes, as far as is known */

/* closure() of ft/recovery/closure.c: a role goes back if it has a hole towards a role behind it. resume[] holds the
 * place of the line of each role meanwhile. */
inline close_set()
{
	do
	:: more = false;
	   a = 0;
	   do
	   :: a < ROLES ->
		b = DST(a);
		if
		:: !(rolled & BIT(a)) && front[a] > FROM(b) && hole[a] > FROM(b) ->
			rolled = rolled | BIT(a);
			AT_CHAIN;
			more = true
		:: else
		fi;
		a++
	   :: else -> break
	   od;
	   if
	   :: !more -> break
	   :: else
	   fi
	od;
	a = 0;
	b = 0
}

/* The end of repair(), and the part of player_enter() that is not seen by others before they are there, too: it is done
 * here for all roles at once, since all compute the same from the same table. */
inline begin_epoch()
{
	rolled = 0;
	a = 0;
	do
	:: a < ROLES ->
		if
		:: next & BIT(who[a])
		:: else -> rolled = rolled | BIT(a)
		fi;
		a++
	:: else -> break
	od;
	draw_line();
	do /* the line, before the new members are known */
	:: a < ROLES -> resume[a] = LINE(a); a++
	:: else -> break
	od;
	assign_roles(true, c);
	assert(c == 0);
#ifndef NO_CLOSURE
	close_set();
#endif
	do
	:: a < ROLES ->
#ifndef NOT_DRAINED
		do
		:: len(wire[a]) > 0 -> wire[a]?_
		:: else -> break
		od;
#endif
		if
		:: rolled & BIT(a) ->
			assert(images[a] & BIT(resume[a]));
#ifndef SKEWED
			assert(OLDEST_IS_KEPT(resume[a])); /* a line that all have agreed on */
#endif
			line[a] = resume[a];
			front[a] = resume[a];
			taken[a] = 0; /* save_enter_epoch() */
			loaded[a] = false;
			empty_log(a, resume[a])
		:: else ->
#ifndef SKEWED
			if
			:: resume[a] > line[a] ->
				assert(taken[a] == resume[a]); /* "counts, but this role has not taken it" */
				AT_LATE_COUNT;
				conclude(a, resume[a])
			:: else
			fi;
#endif
			resume[a] = front[a]
		fi;
		votes[a] = 0;
		a++
	:: else -> break
	od;
	world = next;
	next = 0; crew = 0; built = 0; told = 0; cut = 0; crew_built = 0; crew_told = 0; crew_cut = 0;
	lost_world = false; lost_workers = false;
	a = 0;
	do /* one that died after it had come to the last agreement is a member all the same */
	:: a < ROLES ->
		if
		:: GONE(who[a]) -> forget(a)
		:: else
		fi;
		a++
	:: else -> break
	od;
	a = 0; b = 0; c = 0; newest = 0; more = false
}

/* ---- The MPI library: agreements ----------------------------------------------------------------------------------- */
#define MEMBERS ((site == CLOSE || site == SHRINK) -> world : next)
#define ALL_HAVE_COME (in && (here & MEMBERS) && !(here & MEMBERS & ~in))

byte counted;

active proctype mpi()
{
	do
	:: atomic {
		ALL_HAVE_COME ->
		counted = in & MEMBERS;
		if /* what the dead have said before may count or not */
		:: counted & ~here -> counted = counted & here
		:: true
		fi;
		if
		:: site == SHRINK ->
			/* The group of those who are not known to be dead. */
			next = world & here;
			do
			:: world & fresh ->
				a = 0;
				do
				:: !(world & fresh & BIT(a)) -> a++
				:: else -> break
				od;
				fresh = fresh & ~BIT(a);
				if
				:: next = next | BIT(a); AT_STALE
				:: true
				fi
			:: else -> break
			od;
			fresh = 0;
			built = 0; told = 0; cut = 0; crew_built = 0; crew_told = 0; crew_cut = 0; crew = 0;
			agreed = true
		:: site == CLOSE ->
			agreed = !(counted & ~yes);
			unknown = !(counted & ~unaware)
		:: else ->
			agreed = counted == MEMBERS && !(counted & ~yes)
		fi;
		d_step {
			got = in & here;
			if
			:: site == STATUS && agreed -> assign_roles(EARLY, shortage)
			:: site == LAST && agreed -> begin_epoch()
			:: else
			fi;
			in = 0; yes = 0; unaware = 0; entered = 0; counted = 0; a = 0;
#ifdef NO_AGREEMENT_BEHIND_SPLIT
			talking = 0;
#endif

			site = 0
		}
	   }
	:: timeout -> /* nobody goes on */
		assert(!done || !lacking);
		assert(!done || results == ALL_ROLES);
		break
	od
}

/* ---- A process ----------------------------------------------------------------------------------------------------- */
#define ME BIT(me)
#ifdef ONE_BIT
#define KNOWN false
#else
#define KNOWN (!unknown) /* somebody who lives knows that all results are written */
#endif
#define MAY_COME(s) (in == 0 || site == s)

/* Take part in an agreement; who comes to another one than the others waits for ever, as in MPI. */
inline come(s, ok)
{
	MAY_COME(s);
	site = s;
	in = in | ME;
	if
	:: ok -> yes = yes | ME
	:: else
	fi
}

/* The result is there: ok. */
inline hear()
{
	got & ME;
	ok = agreed;
#ifdef CODES_DIFFER
	if
	:: DEATH_IN(next -> next : world) -> ok = false
	:: true
	fi;
#endif
	got = got & ~ME;
	if
	:: got == 0 -> agreed = false
	:: else
	fi
}

#ifdef ERROR_SKIPS_AGREEMENT
#define CLOSING skip_it
#else
#define CLOSING closing
#endif

/* membership_revoke(), and the process is in the closing agreement. */
inline give_up()
{
#ifndef NOT_REVOKED
	lost_world = true;
	lost_workers = lost_workers || role != NONE;
#endif
#ifndef ERROR_SKIPS_AGREEMENT
	unaware = unaware | ME;
	come(CLOSE, false)
#endif
}

/* A collective on the communicator `set` fails where it waits for a dead process (here, the member before this one), where
 * the library has learnt of a death since the communicator was built, and where it was revoked. */
#define OTHERS(set) (((set) & BEFORE(me)) -> ((set) & BEFORE(me)) : (set))
#define PARTNER_IS_DEAD(set) ((OTHERS(set) & ~here) > (OTHERS(set) & here)) /* the largest of them decides */
#define ALL_LOST (!(next & (BIT(who[0]) | BIT(who[1]) | BIT(who[2 % ROLES]) | BIT(who[3 % ROLES]))))

/* gather_statuses() or recall(), and the process is in the agreement behind it. */
inline gather(behind)
{
	if
	:: atomic { (entered & next) == next -> come(behind, true) }
	:: atomic { ((cut | told) & ME) || PARTNER_IS_DEAD(next) -> cut = cut | built; come(behind, false) }
	fi
}

/* Go back to the old communicator. */
inline again()
{
	AT_AGAIN;
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
			:: logged[role] & BIT(a) -> wire[DST(role)]!a; AT_REPLAY
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
	:: atomic { lost_workers -> give_up(); goto CLOSING }
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
	   if /* MPIX_Comm_agree() on the communicator of the workers: a revocation does not end it */
	   :: atomic { ALIVE_VOTED(taken[role]) && WORKERS_SEE_DEATH -> give_up(); goto CLOSING }
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
	:: atomic { lost_workers || (front[role] < LENGTH && GONE(who[DST(role)])) ||
		    (taken[role] && WORKERS_SEE_DEATH) -> give_up(); goto CLOSING }
	:: atomic { front[role] < LENGTH && !(DUE(role) && taken[role] != front[role]) ->
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
			AT_SUPPRESSED
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
	   :: atomic { lost_workers || GONE(who[SRC(role)]) -> give_up(); goto CLOSING }
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
	:: atomic { lost_workers || WORKERS_SEE_DEATH -> give_up(); goto CLOSING }
	fi;

meeting: /* meet(): a barrier of all */
	if
	:: atomic { (entered & world) == world -> come(CLOSE, true) }
	:: atomic { lost_world || DEATH_IN(world) -> give_up(); goto CLOSING }
	fi;

closing: /* agree() of ft/episode.c. The value is the same for all; whether a death is reported may differ. */
	atomic {
		got & ME ->
		if
		:: ok = agreed || KNOWN
		:: DEATH_IN(world) -> ok = KNOWN; if :: ok -> AT_LATE_END :: else fi
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
			AT_DONE;
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
	gather(STATUS);
	atomic {
		hear();
		if
		:: !ok -> again()
		:: ok && !ALL_LOST -> ok = false; goto assigned
		:: else -> ok = false
		fi;
		AT_RECALL;
		entered = entered | ME
	};
	gather(RECALL);
	atomic {
		hear();
		if
		:: !ok -> again()
		:: else -> ok = false
		fi;
assigned:	if
		:: shortage ->
			AT_OUT_OF_SPARES;
			assert(KILLS - kills > SPARES);
			lacking = lacking | ME;
			here = here & ~ME;
			goto leave
		:: else
		fi;
		entered = entered | ME
	};
	if /* split_workers() */
#ifndef NO_AGREEMENT_BEHIND_SPLIT
	:: atomic { (entered & next) == next -> crew_built = crew_built | (crew & ME); come(SPLIT, true) }
	:: atomic { ((cut | told) & ME) || PARTNER_IS_DEAD(next) -> come(SPLIT, false) }
	fi;
	atomic {
		hear();
		if
		:: !ok -> again()
		:: ok && !(crew & ME) -> ok = false; come(LAST, true); goto last
		:: else -> ok = false
		fi;
		entered = entered | ME
	};
#else
	:: atomic { (entered & next) == next ->
		crew_built = crew_built | (crew & ME);
		if
		:: !(crew & ME) -> come(LAST, true); goto last
		:: else -> talking = talking | ME
		fi
	   }
	:: atomic { ((cut | told) & ME) || PARTNER_IS_DEAD(next) -> come(LAST, false); goto last }
	fi;
#define entered talking /* in the next collective */
#endif
	if /* gather_channels() */
	:: atomic { (entered & crew) == crew -> come(LAST, true) }
	:: atomic { ((crew_cut | crew_told) & ME) || PARTNER_IS_DEAD(crew) -> crew_cut = crew_cut | crew_built; come(LAST, false) }
	fi;
#undef entered
last:	atomic {
		hear();
		if
		:: !ok -> again()
		:: else -> ok = false
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

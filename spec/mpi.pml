/* spec/mpi.pml - deaths, and what the MPI library does: agreements, collectives, shrink, see spec/epochs.pml. */

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
#ifdef AGREEMENT_ORPHANS
		got = 0; /* those that wait for the result from the dead process never get it */
#else
		got = got & ~BIT(p);
#endif
		kills--;
		if
		:: next & BIT(p) -> told = told | built
		:: else
		fi;
		a = 0;
		do
		:: a < ROLES ->
			if
			:: who[a] == p && !(site == LAST && (in & BIT(p))) ->
				assert(REACH != PLACE_IN_REPLAY || loaded[a] || in || got || (rolled & BIT(a)));
				forget(a)
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

/* ---- The MPI library: agreements ----------------------------------------------------------------------------------- */
#define MEMBERS ((site == CLOSE || site == SHRINK) -> world : next)
#define ALL_HAVE_COME (in && (here & MEMBERS) && !(here & MEMBERS & ~in))

/* Behind this agreement a pass takes the statuses of the members. */
#ifdef NO_AGREEMENT_BEHIND_SHRINK
#define GATHERED SHRINK
#else
#define GATHERED BUILT
#endif

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
				:: next = next | BIT(a); AT(PLACE_STALE)
				:: true
				fi
			:: else -> break
			od;
#ifdef NEVER_LEARNS
			fresh = world & ~here;
#else
			fresh = 0;
#endif
			built = 0; told = 0; cut = 0;
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
			:: site == GATHERED && agreed -> assign_roles(EARLY, shortage); ask_for_holes()
			:: site == LAST && agreed && !shortage -> begin_epoch()
			:: else
			fi;
			in = 0; yes = 0; unaware = 0; entered = 0; entered_next = 0; counted = 0; a = 0;
			site = 0
		}
	   }
	:: timeout -> /* nobody goes on */
		assert(!done || !lacking);
		assert(!done || results == ALL_ROLES);
		break
	od
}

/* ---- Calls of the MPI library -------------------------------------------------------------------------------------- */
/* ---- A process ----------------------------------------------------------------------------------------------------- */
#define ME BIT(me)
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

/* A collective on the communicator `set` fails where it waits for a dead process (here, the member before this one), where
 * the library has learnt of a death since the communicator was built, and where it was revoked. */
#define OTHERS(set) (((set) & BEFORE(me)) -> ((set) & BEFORE(me)) : (set))
#define PARTNER_IS_DEAD(set) ((OTHERS(set) & ~here) > (OTHERS(set) & here)) /* the largest of them decides */

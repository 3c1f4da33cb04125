/* spec/repair.pml - what all processes compute alike in a repair (ft/recovery/repair.c, ft/recovery/closure.c), see
 * spec/epochs.pml. */

/* When a spare takes its role: with the last agreement of a repair, in begin_epoch(). */
#ifdef ROLES_TAKEN_EARLY
#define EARLY true
#else
#define EARLY false
#endif


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
	b = 0;
	crew = 0
}

/* list_holes() of ft/recovery/extent.c: does any role have one since its checkpoint? */
inline ask_for_holes()
{
	listed = false;
	a = 0;
	do
	:: a < ROLES -> listed = listed || ((next & BIT(who[a])) && hole[a] > line[a]); a++
	:: else -> break
	od;
	a = 0
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
			AT(PLACE_CHAIN);
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
			assert(ALL_HAVE_IMAGE(resume[a])); /* a line that all have agreed on */
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
				AT(PLACE_LATE_COUNT);
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
	next = 0; built = 0; told = 0; cut = 0; listed = false;
	lost = false;
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

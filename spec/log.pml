/* spec/log.pml - the log of one role (ft/log/log.c) and its checkpoints (ft/line/save.c), see spec/epochs.pml. */

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

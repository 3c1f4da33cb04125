#include "ft/run.h"

#include "base/clock.h"
#include "ft/line/constants.h"
#include "ft/player.h"
#include "ft/recovery/notices.h"
#include "ft/recovery/repair.h"
#include "ft/recovery/restart.h"

#include <mpi-ext.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BARREN_MAX = 8, SPARE_NAP_NS = 1000000, JOB_ENDS_S = 30 };
/* all arrive within this time, unless a spare died and the roles go on */
static const double SOON_S = 0.05;

struct process {
	const struct ft_config *cfg;
	struct membership members;
	struct recovery rec;
	struct player player;
	struct constants constants;
	struct notices notices; /* acknowledged before each epoch */
	bool working;           /* plays a role; otherwise a spare */
	bool spawned;           /* started by a repair */
	bool written;           /* knows that the results of all roles are written */
	int64_t epoch;
	int barren; /* repairs in a row in which nobody had died */
};

static void reached(const struct process *p, enum ft_point point)
{
	const struct ft_hooks *hooks = &p->cfg->hooks;

	if (hooks->reached)
		hooks->reached(hooks->ctx, p->working ? p->player.role.id : -1,
			       p->working ? p->player.role.front : 0, point, 0);
}

static void does(const struct process *p, enum ft_activity what, bool begins)
{
	ft_does(&p->cfg->hooks, what, begins);
}

static void nap_as_spare(struct process *p)
{
	const struct timespec pause = { 0, SPARE_NAP_NS };

	reached(p, FT_IDLE);
	constants_hold(&p->constants, NULL);
	nanosleep(&pause, NULL);
}

/* Wait for the others. A spare spins for spin_s seconds and then sleeps between tests, to leave the
 * core to others. false: MPI failed. */
static bool wait_for(struct process *p, MPI_Request *request, double spin_s)
{
	double began = clock_monotonic();
	int done = 0;

	for (;;) {
		if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (done)
			return true;
		if (!p->working && clock_monotonic() >= began + spin_s)
			nap_as_spare(p);
	}
}

/* A role enters the barrier after it wrote its result. After the barrier, all results are
 * written. */
static int meet(struct process *p)
{
	MPI_Request request;

	if (MPI_Ibarrier(p->members.world, &request) != MPI_SUCCESS || !wait_for(p, &request, 0))
		return RB_LOST;
	p->written = true;
	return RB_OK;
}

/* How an epoch ends. */
enum ending {
	ENDING_CLOSED, /* all processes finished it and are alive */
	ENDING_LATE,   /* a process died, but a survivor knows that all results are written */
	ENDING_BROKEN, /* to be repaired */
};

/* One agreement gives all processes the same answer, so that none leaves while another goes on. It
 * forms the AND of all flags, so a process that does not know that all results are written sets a
 * bit. It waits for the last process to learn of a failure: roles may learn of a spare's death only
 * at the end of the run. */
static enum ending agree(struct process *p, bool through)
{
	enum { THROUGH = 1, UNAWARE = 2 };
	int flag = (through ? THROUGH : 0) | (p->written ? 0 : UNAWARE);
	MPI_Request request;
	bool all_live;

	does(p, FT_AGREEING, true);
	all_live = MPIX_Comm_iagree(p->members.world, &flag, &request) == MPI_SUCCESS &&
		   wait_for(p, &request, SOON_S);
	does(p, FT_AGREEING, false);
	if (all_live && (flag & THROUGH))
		return ENDING_CLOSED;
	return flag & UNAWARE ? ENDING_BROKEN : ENDING_LATE;
}

/* A spare sleeps until all roles are through or a failure is seen. */
static int work(struct process *p, struct rb_error *err)
{
	int rc;

	notices_acknowledge(&p->notices);
	if (p->working) {
		RB_TRY(player_play(&p->player, err));
		return meet(p);
	}
	does(p, FT_STANDBY, true);
	rc = meet(p);
	does(p, FT_STANDBY, false);
	return rc;
}

/* Tell everybody that this epoch is over. */
static void revoke_as_role(const struct process *p)
{
	player_wake_others(&p->player);
	does(p, FT_REVOKING, true);
	MPIX_Comm_revoke(p->members.world);
	does(p, FT_REVOKING, false);
}

/* The single agreement that closes an epoch. A spare does not revoke, so that roles go on if only a
 * spare has died. If a role has died, the roles that wait for it see that, too, and revoke. Whoever
 * waits in meet() is told of any death, which ends its barrier. */
static enum ending close_epoch(struct process *p, int rc)
{
	if (rc != RB_OK) {
		reached(p, FT_RECOVERY);
		if (p->working)
			revoke_as_role(p);
	}
	return agree(p, rc == RB_OK);
}

static int out_of_spares(const struct recovery *rec, struct rb_error *err)
{
	return rb_fail(err, RB_ESPARES,
		       "%d role%s died and %d of them ha%s no spare to take over; start the run "
		       "with more --spares",
		       rec->lost, rec->lost == 1 ? "" : "s", rec->shortage,
		       rec->shortage == 1 ? "s" : "ve");
}

/* Take what the repair decided; a spare may become a worker here. */
static int resume(struct process *p, double t_detect, struct rb_error *err)
{
	const struct recovery *rec = &p->rec;

	p->epoch = rec->epoch;
	p->rec.restarted = false;
	p->barren = rec->lost > 0 || rec->fallback ? 0 : p->barren + 1;
	if (rec->role < 0)
		return RB_OK;
	if (!p->working) {
		int rc;

		does(p, FT_ADOPTING, true);
		rc = player_begin(&p->player, p->cfg, &p->constants, rec->role, err);
		does(p, FT_ADOPTING, false);
		if (rc != RB_OK)
			return rc;
	}
	p->working = true;
	p->player.role.ledger->recovering = 0;
	player_note_event(&p->player, rec, t_detect, p->spawned);
	return player_enter(&p->player, p->members.world, rec, err);
}

static int recover(struct process *p, double t_detect, struct rb_error *err)
{
	struct role_status self = { .role = -1, .refused = -1, .epoch = p->epoch };
	int rc;

	reached(p, FT_REPAIR);
	if (p->working) {
		does(p, FT_DRAINING, true);
		player_abort(&p->player);
		does(p, FT_DRAINING, false);
		self = player_status(&p->player, p->epoch);
	}
	rc = repair(&p->members, &self, p->working ? &p->player.role.ports : NULL, &p->rec);
	if (rc == RB_ESPARES)
		return out_of_spares(&p->rec, err);
	if (rc == RB_ENOMEM)
		return rb_fail(err, rc, "out of memory during repair");
	if (rc != RB_OK)
		return rb_fail(err, rc,
			       "the logs of the roles do not fit together; please report this");
	RB_TRY(resume(p, t_detect, err));
	if (p->barren >= BARREN_MAX)
		return rb_fail(
			err, RB_EMPI,
			"MPI failed %d times in a row although no process died; last error: %s",
			p->barren, p->working ? p->player.role.link.reason : "unknown (spare)");
	return RB_OK;
}

/* A process that a repair has started begins in the middle of that repair. */
static int enter(struct process *p, struct rb_error *err)
{
	p->spawned = true;
	p->rec.lost = 0;
	return recover(p, clock_now(), err);
}

/* RB_LOST: the processes that started this one are gone. */
static int start(struct process *p, struct rb_error *err)
{
	struct rb_error refusal = { "" };
	int rank, rc = membership_form(&p->members, p->cfg);

	if (rc == RB_LOST)
		return rc;
	if (rc != RB_OK)
		return rb_fail(err, RB_EMPI, "MPI could not duplicate MPI_COMM_WORLD");
	if (recovery_init(&p->rec, p->cfg->np) != RB_OK ||
	    constants_init(&p->constants, p->cfg) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	if (p->members.spawned)
		return enter(p, err);
	MPI_Comm_rank(p->members.world, &rank);
	rc = restart_find(p->cfg, p->members.world, rank < p->cfg->np ? rank : -1, &p->rec,
			  &refusal);
	if (rc == RB_ENOMEM)
		return rb_fail(err, rc, "out of memory for a checkpoint: %.400s", refusal.text);
	if (rc != RB_OK)
		return rb_fail(err, RB_EMPI,
			       "MPI failed while the earlier job's state was looked for");
	p->epoch = p->rec.epoch;
	if (rank >= p->cfg->np)
		return RB_OK;
	RB_TRY(player_begin(&p->player, p->cfg, &p->constants, rank, err));
	p->working = true;
	if (refusal.text[0])
		role_note_refusal(&p->player.role, &refusal);
	if (p->rec.restarted)
		player_note_event(&p->player, &p->rec, clock_now(), false);
	return player_enter(&p->player, p->members.world, &p->rec, err);
}

/* The first role that nobody plays. */
static int deserted(const struct recovery *rec, int np)
{
	for (int r = 0; r < np; r++)
		if (rec->died[r])
			return r;
	return -1;
}

static void write_failure(struct ledger *l, int rc, const struct rb_error *err)
{
	l->status = rc;
	snprintf(l->message, sizeof l->message, "%s", err->text);
	l->phase = LEDGER_FAILED;
	ledger_sync(l);
}

/* Perhaps only spares are left to know that spares are missing; they note it for a role that nobody
 * plays. */
static void note_failure(struct process *p, int rc, const struct rb_error *err)
{
	struct rb_error ignored;
	struct ledger *l;

	if (p->working)
		write_failure(p->player.role.ledger, rc, err);
	if (p->working || rc != RB_ESPARES)
		return;
	l = ledger_open(p->cfg->dir, deserted(&p->rec, p->cfg->np), &ignored);
	if (l)
		write_failure(l, rc, err);
	ledger_close(l);
}

/* The MPI ends a job that has lost a process, so this process only waits for that. If the job still
 * lives after JOB_ENDS_S, no process was lost, and MPI has failed for another reason. A checkpoint
 * that could be read when the job started and cannot be read any more is reported. */
static int end_job(const struct process *p, struct rb_error *err)
{
	if (p->player.role.refused >= 0)
		return rb_fail(err, RB_ECORRUPT, "%.500s", p->player.role.ledger->refusal);
	for (unsigned left = JOB_ENDS_S; left > 0;)
		left = sleep(left);
	return rb_fail(err, RB_EMPI, "MPI failed although no process died; its error: %s",
		       p->player.role.link.reason);
}

int ft_run(const struct ft_config *cfg, bool *recovered, struct rb_error *err)
{
	struct process p = { .cfg = cfg };
	int rc;

	notices_find(&p.notices);
	rc = start(&p, err);
	*recovered = p.spawned;
	if (rc == RB_LOST) {
		*recovered = true;
		return RB_OK;
	}
	while (rc == RB_OK) {
		enum ending how;
		double t_detect;

		rc = work(&p, err);
		t_detect = clock_now();
		if (rc == RB_LOST && p.working)
			role_loses(&p.player.role);
		if (rc == RB_LOST && cfg->strategy == FT_RESTART)
			rc = end_job(&p, err);
		if (rc < 0)
			break;
		how = close_epoch(&p, rc);
		rc = RB_OK;
		*recovered = *recovered || how != ENDING_CLOSED;
		if (how != ENDING_BROKEN)
			break; /* a process that died late had nothing left to do */
		rc = recover(&p, t_detect, err);
	}
	if (rc < 0) {
		if (p.working)
			/* its thread uses p, which ends with this function */
			save_join(&p.player.save);
		note_failure(&p, rc, err);
		return rc;
	}
	reached(&p, FT_CLOSED);
	if (p.working) {
		p.player.role.ledger->phase = LEDGER_DONE;
		player_end(&p.player);
	}
	constants_free(&p.constants);
	recovery_free(&p.rec);
	return RB_OK;
}

#include "ft/player.h"

#include "base/clock.h"
#include "ft/line/constants.h"
#include "ft/line/restore.h"
#include "ft/recovery/front_wait.h"
#include "ft/recovery/share.h"
#include "ft/role/unprotected.h"
#include "ft/role/expected_log.h"
#include "ft/role/finish.h"
#include "ft/role/iterate.h"

#include <inttypes.h>
#include <string.h>

int player_begin(struct player *p, const struct ft_config *cfg, struct constants *constants, int id,
		 struct rb_error *err)
{
	memset(p, 0, sizeof *p);
	p->wakeup.fd = -1;
	RB_TRY(role_open(&p->role, cfg, constants, id, err));
	images_init(&p->images, &cfg->levels, id, cfg->np, cfg->schedule.interval);
	save_init(&p->save, &p->role, &p->images);
	if (cfg->power.sleeps)
		wakeup_open(&p->wakeup, cfg->dir, id);
	return RB_OK;
}

void player_end(struct player *p)
{
	wakeup_close(&p->wakeup);
	support_abort(&p->support);
	save_free(&p->save);
	images_free(&p->images);
	role_close(&p->role);
}

/* Where the restarted role begins that is furthest behind. */
static int64_t oldest_front(const struct recovery *rec, int np)
{
	int64_t least = rec->cone.newest;

	for (int r = 0; r < np; r++)
		if (rec->died[r] && rec->front[r] < least)
			least = rec->front[r];
	return least;
}

/* Iterations that the duplicate of this role is to commit; -1: it has none. */
static int64_t supported(const struct recovery *rec, int role)
{
	return rec->cone.end[role].iter < 0 ? -1 : cone_supported(&rec->cone, rec->line, role);
}

void player_note_event(struct player *p, const struct recovery *rec, double t_detect, bool spawned)
{
	struct role *r = &p->role;
	struct ledger *l = r->ledger;
	bool died = rec->died[r->id], rolled_back = rec->rolled[r->id];
	int32_t n = l->event_count++;

	memset(&r->recovery, 0, sizeof r->recovery);
	r->recovery.front_before = l->front;
	l->last_epoch = rec->epoch;
	if (n >= LEDGER_EVENTS)
		return;
	l->event[n] = (struct ledger_event){
		.epoch = rec->epoch,
		.front_before = l->front,
		.restart = rec->front[r->id],
		.died = died,
		.rolled_back = rolled_back,
		.chain = rec->chain,
		.spawned = died && spawned,
		.ops_before = l->ops,
		.restarted = rec->restarted,
		.t_resumed = clock_now(),
		.t_detect = died ? -1 : t_detect,
		.shrink_s = died ? -1 : rec->t_shrunk - t_detect,
		.repair_s = died ? -1 : clock_now() - t_detect,
		.restore_s = rolled_back ? -1 : 0,
		.replay_s = -1,
		.catchup_s = -1,
		.wait_s = -1,
		.wait_cpu_s = -1,
		.recompute = rec->dataflow ? p->role.cfg->recompute : FT_ROLLBACK,
		.distance = rec->dataflow ? rec->cone.distance[r->id] : -1,
		.lost = rec->dataflow ? rec->cone.newest - oldest_front(rec, p->role.cfg->np) : 0,
		.supported = rec->dataflow ? supported(rec, r->id) : -1,
		.support_s = -1,
	};
	r->recovery.event = &l->event[n];
}

/* The front; -1: no role is behind it. */
static int64_t meeting(int np, const struct demand *d)
{
	for (int r = 0; r < np; r++)
		if (d->front[r] < d->latest)
			return d->latest;
	return -1;
}

/* What data-flow rollback needs in this epoch. Results of iterations that the role has not gone
 * through come anew. */
static void enter_dataflow(struct role *r, const struct recovery *rec)
{
	struct results_port *results = r->ports.results;

	r->end = rec->dataflow ? rec->cone.end[r->id] : (struct place){ -1, 0 };
	r->unable = false;
	if (!results)
		return;
	r->ports.demand.needed = rec->cone.needed;
	r->ports.demand.needs = rec->cone.needs;
	results->newest = rec->dataflow ? rec->cone.newest : 0;
	results_cut(&results->results, r->front);
}

int player_enter(struct player *p, MPI_Comm world, const struct recovery *rec, struct rb_error *err)
{
	struct role *r = &p->role;
	bool rolled_back = rec->rolled[r->id];
	int64_t line = rec->line[r->id];

	link_connect(&r->link, world, rec->rank);
	demand_enter(&r->ports.demand, rec->front, r->cfg->np);
	r->ports.demand.copies = rec->copies;
	r->epoch = rec->epoch;
	r->refused = -1;
	r->recovery.rolled = rec->rolled;
	RB_TRY(save_enter_epoch(&p->save, line, rolled_back, err));
	if (rolled_back && (r->restored || line != r->line))
		r->source = FROM_NOWHERE;
	r->line = r->ledger->line = line;
	r->lines = rec->line;
	r->front = r->ledger->front = rec->front[r->id];
	p->rec = rec;
	enter_dataflow(r, rec);
	if (rolled_back) {
		r->ledger->loop_s = -1;
		r->ledger->finished_at = -1; /* its result was perhaps written before the failure */
		r->restored = false;
	}
	r->recovery.meeting =
		r->cfg->power.waits_at_front ? meeting(r->cfg->np, &r->ports.demand) : -1;
	r->recovery.resumed = clock_now();
	wait_watch(&r->link.wait, r->recovery.event != NULL);
	r->recovery.replaying = r->recovery.catching_up = r->recovery.event != NULL;
	return RB_OK;
}

/* Fault in the log's memory before the loop and not in its first interval. If this fails, or if it
 * takes longer than it can save, memory is mapped when it is needed. */
static void reserve_log(struct role *r)
{
	const struct ft_config *cfg = r->cfg;
	const int64_t most = (int64_t)1 << 30, interval = cfg->schedule.interval;
	const int64_t end = interval < cfg->iterations ? interval : cfg->iterations;
	struct kernel_pattern p = kernel_pattern(cfg->kernel, &cfg->args, cfg->np);
	struct expected_log expected;
	struct expected_size sent, received;

	if (expected_log_open(&expected, &p.pattern, &cfg->policy, ft_uses_dataflow(cfg), r->id) !=
	    RB_OK)
		return;
	if (expected_log_size(&expected, end, &sent, &received) == RB_OK &&
	    sent.bytes + received.bytes < most) {
		log_reserve(&r->ports.logging.log, (size_t)sent.messages, (size_t)sent.bytes);
		if (r->ports.receiver)
			log_reserve(ports_received(&r->ports), (size_t)received.messages,
				    (size_t)received.bytes);
	}
	expected_log_free(&expected);
}

/* The same for the copy of the state. If there is no memory for it, the first iteration says so. */
static void reserve_copy(struct role *r)
{
	if (r->cfg->transaction == FT_COPY &&
	    undo_take(&r->undo, r->cfg->kernel, r->kernel) == RB_OK)
		undo_forget(&r->undo);
}

/* Once more behind the first iteration and at each checkpoint: a replacement that computes its
 * constants tells of them late. */
static void hold_constants(const struct role *r, int64_t began)
{
	if (r->front == began + 1 || schedule_due(r->cfg->schedule, r->front))
		constants_hold(r->constants, r->ledger);
}

static int begin_loop(struct role *r)
{
	if (r->epoch == 0) {
		if (!is_unprotected(r) && !r->cfg->kernel->pattern_is_costly)
			reserve_log(r);
		reserve_copy(r);
		RB_TRY(role_barrier(r)); /* all start together, so loop_s contains no set-up skew */
	}
	constants_hold(r->constants, r->ledger);
	if (r->ledger->t_loop < 0)
		r->ledger->t_loop = clock_now();
	return watch_recovery(r);
}

static int iterations(struct player *p, struct rb_error *err)
{
	struct role *r = &p->role;
	const int64_t began = r->front;

	if (r->cfg->paired > 0)
		return iterate_paired(r, err);
	if (is_unprotected(r))
		return iterate_unprotected(r, err);
	while (!role_finished(r)) {
		RB_TRY(front_wait(r, &p->save, &p->wakeup, err));
		RB_TRY(save_step(&p->save, err));
		RB_TRY(iterate(r, err));
		hold_constants(r, began);
	}
	RB_TRY(front_wait(r, &p->save, &p->wakeup, err));
	return save_finish(&p->save, err);
}

static void half_replayed(void *ctx)
{
	const struct role *r = ctx;

	role_reached(r, r->recovery.front_before, FT_REPLAY);
}

static int replay(struct role *r)
{
	role_enter(r, LEDGER_REPLAY);
	RB_TRY(replay_begin(&r->replay, &r->link,
			    &(struct replay_case){ &r->ports, r->front, r->end,
						   r->cfg->stale_replay, r->recovery.rolled,
						   half_replayed, r }));
	if (r->recovery.event) {
		r->recovery.event->replayed = r->replay.messages;
		r->recovery.event->replayed_bytes = r->replay.bytes;
	}
	return RB_OK;
}

static int play(struct player *p, struct rb_error *err)
{
	const bool duplicate = p->role.end.iter >= 0;

	RB_TRY(share_results(&p->role, p->rec));
	if (!duplicate)
		RB_TRY(replay(&p->role));
	RB_TRY(support_begin(&p->support, &p->role, &p->rec->cone));
	RB_TRY(restore(&p->role, &p->save, p->support.state, err));
	RB_TRY(support_run(&p->support, err));
	if (duplicate) /* what the log has goes behind what the duplicate sends, in the order of
			  iterations */
		RB_TRY(replay(&p->role));
	RB_TRY(begin_loop(&p->role));
	RB_TRY(iterations(p, err));
	return finish(&p->role, images_memory(&p->images), p->role.constants->bytes);
}

/* Users of the link pass on its status; only this function reports the reason. */
int player_play(struct player *p, struct rb_error *err)
{
	const struct role *r = &p->role;
	const struct ft_power *power = &r->cfg->power;
	int rc;

	if (r->recovery.meeting >= 0 && power->slow)
		power->slow(power->ctx, true);
	rc = play(p, err);
	if (power->slow)
		power->slow(power->ctx, false);
	if (rc < 0 && rc == r->link.status)
		return rb_fail(err, rc, "role %d, iteration %" PRId64 ": %s", r->id, r->front,
			       r->link.reason);
	return rc;
}

struct role_status player_status(const struct player *p, int64_t epoch)
{
	const struct role *r = &p->role;

	return (struct role_status){ .role = r->id,
				     .front = r->front,
				     .line = r->line,
				     .epoch = epoch,
				     .refused = r->refused,
				     .older = r->older,
				     .unable = r->unable,
				     .copies = r->ports.receiver ? r->ports.receiver->received.until
								 : 0 };
}

void player_wake_others(const struct player *p)
{
	for (int d = 0; p->wakeup.fd >= 0 && d < p->role.cfg->np; d++)
		if (d != p->role.id)
			wakeup_send(&p->wakeup, d, p->role.epoch);
}

void player_abort(struct player *p)
{
	struct role *r = &p->role;

	requests_drain(&r->replay.requests);
	link_drain(&r->link);
	dissemination_abort(&r->rounds);
	support_abort(&p->support);
	save_abort(&p->save);
	ports_abort(&r->ports);
	iterate_abort(r);
}

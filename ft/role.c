#include "ft/role.h"

#include "base/clock.h"
#include "ft/recovery/forecast.h"
#include "ft/iterate.h"
#include "ft/recovery/front_wait.h"
#include "ft/line/restore.h"

#include <stdio.h>
#include <string.h>

void role_reached(const struct role *r, int64_t iter, enum ft_point point)
{
	const struct ft_hooks *hooks = &r->cfg->hooks;

	if (hooks->reached)
		hooks->reached(hooks->ctx, r->id, iter, point, r->msg.ops);
}

void role_spends(const struct role *r, enum ledger_phase phase)
{
	const struct ft_hooks *hooks = &r->cfg->hooks;

	if (hooks->enters)
		hooks->enters(hooks->ctx, r->front, phase);
}

void role_enter(struct role *r, enum ledger_phase phase)
{
	r->ledger->phase = phase;
	role_spends(r, phase);
}

static void at_operation(void *ctx, bool sending)
{
	const struct role *r = ctx;

	r->ledger->ops = r->msg.ops;
	if (sending && r->msg.pushes == 2)
		role_reached(r, r->msg.iter, FT_SEND);
	role_reached(r, r->msg.iter, FT_OPERATION);
}

static double cost_of_reading(void)
{
	enum { TIMES = 200 };
	double begin = clock_monotonic();

	for (int i = 0; i < TIMES; i++)
		clock_monotonic();
	return (clock_monotonic() - begin) / TIMES;
}

int role_adopt(struct role *r, const struct ft_config *cfg, int id, struct rb_error *err)
{
	memset(r, 0, sizeof *r);
	r->cfg = cfg;
	r->id = id;
	r->wakeup.fd = -1;
	if (msg_init(&r->msg, id, cfg->np, &cfg->policy) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for the message log", id);
	images_init(&r->images, &cfg->levels, id, cfg->np, cfg->interval);
	save_init(r);
	if (cfg->hooks.reached) {
		r->msg.probe = at_operation;
		r->msg.probe_ctx = r;
	}
	r->ledger = ledger_open(cfg->dir, id, err);
	if (!r->ledger)
		return RB_EIO;
	if (cfg->power.sleeps)
		wakeup_open(&r->wakeup, cfg->dir, id);
	r->reading = cost_of_reading();
	r->ledger->phase = LEDGER_SETUP;
	r->ledger->status = RB_OK; /* an earlier job may have failed where this one will not */
	r->ledger->message[0] = '\0';
	r->ledger->incarnations++;
	r->ledger->iterations = cfg->iterations;
	if (cfg->hooks.adopted)
		cfg->hooks.adopted(cfg->hooks.ctx, id, r->ledger);
	return RB_OK;
}

void role_drop(struct role *r)
{
	wakeup_close(&r->wakeup);
	save_free(r);
	images_free(&r->images);
	r->cfg->kernel->destroy(r->kernel);
	msg_free(&r->msg);
	ledger_close(r->ledger);
	memset(r, 0, sizeof *r);
}

void role_note_event(struct role *r, const struct recovery *rec, double t_detect, bool spawned)
{
	struct ledger *l = r->ledger;
	bool died = rec->died[r->id], rolled_back = rec->rolled[r->id];
	int32_t n = l->event_count++;

	memset(&r->recovery, 0, sizeof r->recovery);
	r->recovery.front_before = l->front;
	l->last_epoch = rec->epoch;
	if (n >= LEDGER_EVENTS)
		return;
	l->event[n] = (struct ledger_event){
		.epoch = rec->epoch, .front_before = l->front, .restart = rec->front[r->id],
		.died = died, .rolled_back = rolled_back, .chain = rec->chain,
		.spawned = died && spawned, .ops_before = l->ops,
		.restarted = rec->restarted, .t_resumed = clock_now(),
		.t_detect = died ? -1 : t_detect,
		.shrink_s = died ? -1 : rec->t_shrunk - t_detect,
		.repair_s = died ? -1 : clock_now() - t_detect,
		.restore_s = rolled_back ? -1 : 0, .replay_s = -1,
		.catchup_s = -1, .wait_s = -1, .wait_cpu_s = -1,
	};
	r->recovery.event = &l->event[n];
}

/* The front, if somebody is behind it. */
static int64_t meeting(int np, const int64_t *front)
{
	int64_t least = front[0], most = front[0];

	for (int r = 1; r < np; r++) {
		least = front[r] < least ? front[r] : least;
		most = front[r] > most ? front[r] : most;
	}
	return least < most ? most : -1;
}

int role_enter_epoch(struct role *r, MPI_Comm workers, const struct recovery *rec,
		struct rb_error *err)
{
	bool rolled_back = rec->rolled[r->id];
	int64_t line = rec->line[r->id];

	msg_connect(&r->msg, workers, rec->front);
	r->epoch = rec->epoch;
	r->refused = -1;
	r->recovery.rolled = rec->rolled;
	RB_TRY(save_enter_epoch(r, line, rolled_back, err));
	if (rolled_back && (r->restored || line != r->line))
		r->source = FROM_NOWHERE;
	r->line = r->ledger->line = line;
	r->lines = rec->line;
	r->front = r->ledger->front = rec->front[r->id];
	if (rolled_back) {
		r->ledger->loop_s = -1;
		r->restored = false;
	}
	r->recovery.meeting = r->cfg->power.waits_at_front ? meeting(r->cfg->np, rec->front) : -1;
	r->recovery.resumed = clock_now();
	msg_watch(&r->msg, r->recovery.event != NULL);
	r->recovery.replaying = r->recovery.catching_up = r->recovery.event != NULL;
	return RB_OK;
}

int role_prepare(struct role *r, struct rb_error *err)
{
	double begin = clock_now();

	if (r->kernel)
		return RB_OK;
	RB_TRY(r->cfg->kernel->create(&r->kernel, &r->cfg->args, r->id, r->cfg->np, err));
	if (r->ledger->setup_s < 0)
		r->ledger->setup_s = clock_now() - begin;
	return RB_OK;
}

struct image_id role_identify(const struct ft_config *cfg, int role, int64_t iter)
{
	struct image_id id = { .np = cfg->np, .role = role, .iter = iter };

	snprintf(id.kernel, sizeof id.kernel, "%s", cfg->kernel->name);
	snprintf(id.params, sizeof id.params, "%s", cfg->params);
	return id;
}

void role_note_refusal(struct role *r, const struct rb_error *why)
{
	r->ledger->refusals++;
	snprintf(r->ledger->refusal, sizeof r->ledger->refusal, "%s", why->text);
}

bool role_finished(const struct role *r)
{
	const struct kernel_ops *kernel = r->cfg->kernel;

	return r->front >= r->cfg->iterations ||
	       (kernel->finished && kernel->finished(r->kernel));
}

/* Fault the log's memory in before the loop, rather than in its first interval. Only a wish: what is
 * not reserved now is mapped when it is needed. */
static void reserve_log(struct role *r)
{
	const int64_t most = (int64_t)1 << 30;
	int64_t messages, bytes;

	if (!r->msg.bare && forecast_log(r->cfg, r->id, &messages, &bytes) == RB_OK &&
	    bytes < most)
		log_reserve(&r->msg.log, (size_t)messages, (size_t)bytes);
}

static int loop(struct role *r, struct rb_error *err)
{
	if (r->epoch == 0) {
		reserve_log(r);
		RB_TRY(msg_barrier(&r->msg)); /* all start together, so that loop_s is not set-up skew */
	}
	if (r->ledger->t_loop < 0)
		r->ledger->t_loop = clock_now();
	RB_TRY(watch_recovery(r));
	if (r->cfg->duel > 0 || r->msg.bare)
		role_enter(r, LEDGER_STEP);
	if (r->cfg->duel > 0) {
		RB_TRY(duel(r, err));
		return role_finish(r);
	}
	while (r->msg.bare && !role_finished(r)) {
		role_spends(r, LEDGER_STEP);
		RB_TRY(iterate_bare(r, err));
	}
	if (r->msg.bare)
		r->ledger->begun = r->ledger->executed = r->ledger->front = r->front;
	while (!role_finished(r)) {
		RB_TRY(front_wait(r, err));
		RB_TRY(save_step(r, err));
		RB_TRY(iterate(r, err));
	}
	RB_TRY(front_wait(r, err));
	RB_TRY(save_finish(r, err));
	return role_finish(r);
}

static void half_replayed(void *ctx)
{
	const struct role *r = ctx;

	role_reached(r, r->recovery.front_before, FT_REPLAY);
}

static int replay(struct role *r)
{
	role_enter(r, LEDGER_REPLAY);
	RB_TRY(msg_replay(&r->msg, r->front, r->recovery.rolled, half_replayed, r));
	if (r->recovery.event) {
		r->recovery.event->replayed = r->msg.replayed;
		r->recovery.event->replayed_bytes = r->msg.replayed_bytes;
	}
	return RB_OK;
}

int role_work(struct role *r, struct rb_error *err)
{
	RB_TRY(replay(r));
	RB_TRY(restore(r, err));
	return loop(r, err);
}

void role_wake_others(const struct role *r)
{
	for (int d = 0; r->wakeup.fd >= 0 && d < r->cfg->np; d++)
		if (d != r->id)
			wakeup_send(&r->wakeup, d, r->epoch);
}

void role_abort_iteration(struct role *r)
{
	msg_drain(&r->msg);
	save_abort(r);
	msg_abort(&r->msg);
	if (r->clock.under_way)
		r->ledger->phases.aborted += clock_monotonic() - r->clock.begun;
	r->clock.under_way = r->msg.timed = false;
	r->ledger->aborted = r->ledger->begun - r->ledger->executed;
	r->ledger->phase = LEDGER_REPAIR;
}

#include "ft/role.h"

#include "base/clock.h"
#include "ft/forecast.h"
#include "ft/iterate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void role_reached(const struct role *r, int64_t iter, enum ft_point point)
{
	const struct ft_hooks *hooks = &r->cfg->hooks;

	if (hooks->reached)
		hooks->reached(hooks->ctx, r->id, iter, point, r->msg.ops);
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
	if (msg_init(&r->msg, id, cfg->np, &cfg->policy) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for the message log", id);
	if (cfg->hooks.reached) {
		r->msg.probe = at_operation;
		r->msg.probe_ctx = r;
	}
	r->ledger = ledger_open(cfg->dir, id, err);
	if (!r->ledger)
		return RB_EIO;
	r->reading = cost_of_reading();
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
		.catchup_s = -1, .wait_s = -1,
	};
	r->recovery.event = &l->event[n];
}

void role_resume(struct role *r, MPI_Comm workers, const struct recovery *rec)
{
	bool rolled_back = rec->rolled[r->id];

	msg_connect(&r->msg, workers, rec->front);
	r->epoch = rec->epoch;
	r->refused = -1;
	r->recovery.rolled = rec->rolled;
	if (rec->agreed > r->agreed && !rolled_back)
		log_restart(&r->msg.log, rec->agreed); /* others saw the checkpoint close; so it has */
	r->agreed = r->ledger->agreed = rec->agreed;
	r->front = r->ledger->front = rec->front[r->id];
	if (rolled_back) {
		r->ledger->loop_s = -1;
		r->restored = false;
		log_restart(&r->msg.log, rec->agreed);
	}
	r->recovery.resumed = clock_now();
	r->recovery.replaying = r->recovery.catching_up = r->recovery.event != NULL;
}

/* Build what never changes, once per process and role. */
static int prepare(struct role *r, struct rb_error *err)
{
	double begin = clock_now();

	if (r->kernel)
		return RB_OK;
	RB_TRY(r->cfg->kernel->create(&r->kernel, &r->cfg->args, r->id, r->cfg->np, err));
	if (r->ledger->setup_s < 0)
		r->ledger->setup_s = clock_now() - begin;
	return RB_OK;
}

struct checkpoint_id role_identify(const struct ft_config *cfg, int role, int64_t iter)
{
	struct checkpoint_id id = { .np = cfg->np, .role = role, .iter = iter };

	snprintf(id.kernel, sizeof id.kernel, "%s", cfg->kernel->name);
	snprintf(id.params, sizeof id.params, "%s", cfg->params);
	return id;
}

static struct checkpoint_id identify(const struct role *r, int64_t iter)
{
	return role_identify(r->cfg, r->id, iter);
}

/* Not the end: the others are told, and all go back to the generation before. */
static int refuse(struct role *r, const struct rb_error *why)
{
	struct ledger *l = r->ledger;

	r->refused = r->front;
	l->refusals++;
	snprintf(l->refusal, sizeof l->refusal, "%s", why->text);
	return RB_LOST;
}

/* Bring the kernel to the state of iteration front, which then is the agreed checkpoint. */
static int restore(struct role *r, struct rb_error *err)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	double begin = clock_now();

	if (r->restored)
		return RB_OK;
	r->ledger->phase = LEDGER_RESTORE;
	RB_TRY(prepare(r, err));
	if (r->epoch > 0)
		role_reached(r, r->recovery.front_before, FT_RESTORE);
	r->cfg->kernel->reset(r->kernel);
	if (r->front > 0) {
		struct checkpoint_id id = identify(r, r->front);
		size_t count = r->cfg->kernel->regions(r->kernel, region);

		if (checkpoint_read(r->cfg->dir, &id, region, count, err) != RB_OK)
			return refuse(r, err);
	}
	r->restored = true;
	r->recovery.resumed = clock_now();
	if (r->recovery.event) {
		r->recovery.event->restore_s = r->recovery.resumed - begin;
		r->recovery.event->t_resumed = r->recovery.resumed;
	}
	return RB_OK;
}

static void half_written(void *ctx)
{
	const struct role *r = ctx;

	role_reached(r, r->front, FT_CHECKPOINT);
}

/* Write, agree that all have written, and only then forget the older interval. Two generations
 * stay on disk: a role may die after some, but not all, have passed the barrier. */
static int checkpoint(struct role *r, struct rb_error *err)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	struct checkpoint_id id = identify(r, r->front);
	size_t count = r->cfg->kernel->regions(r->kernel, region);
	double begin = clock_now();

	r->ledger->phase = LEDGER_CHECKPOINT;
	RB_TRY(checkpoint_write(r->cfg->dir, &id, region, count, half_written, r, err));
	for (size_t i = 0; i < count; i++)
		r->ledger->checkpoint_bytes += (int64_t)region[i].bytes;
	RB_TRY(msg_replay_wait(&r->msg));
	RB_TRY(msg_barrier(&r->msg));
	log_restart(&r->msg.log, r->front);
	r->agreed = r->ledger->agreed = r->front;
	checkpoint_remove(r->cfg->dir, r->id, r->front - 2 * r->cfg->interval);
	r->ledger->checkpoints++;
	r->ledger->checkpoint_s += clock_now() - begin;
	return RB_OK;
}

static bool checkpoint_due(const struct role *r)
{
	return r->front > r->agreed && r->front % r->cfg->interval == 0;
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
	if (r->epoch == 0)
		reserve_log(r);
	if (r->epoch == 0) /* all start together, so that loop_s is not set-up skew */
		RB_TRY(msg_barrier(&r->msg));
	if (r->ledger->t_loop < 0)
		r->ledger->t_loop = clock_now();
	RB_TRY(watch_recovery(r));
	if (r->cfg->duel > 0) {
		RB_TRY(duel(r, err));
		return role_finish(r);
	}
	while (r->msg.bare && !role_finished(r))
		RB_TRY(iterate_bare(r, err));
	if (r->msg.bare)
		r->ledger->begun = r->ledger->executed = r->ledger->front = r->front;
	while (!role_finished(r)) {
		if (checkpoint_due(r))
			RB_TRY(checkpoint(r, err));
		RB_TRY(iterate(r, err));
	}
	return role_finish(r);
}

static void half_replayed(void *ctx)
{
	const struct role *r = ctx;

	role_reached(r, r->recovery.front_before, FT_REPLAY);
}

static int replay(struct role *r)
{
	r->ledger->phase = LEDGER_REPLAY;
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

void role_abort_iteration(struct role *r)
{
	msg_drain(&r->msg);
	msg_abort(&r->msg);
	if (r->clock.under_way)
		r->ledger->phases.aborted += clock_monotonic() - r->clock.begun;
	r->clock.under_way = r->msg.timed = false;
	r->ledger->aborted = r->ledger->begun - r->ledger->executed;
	r->ledger->phase = LEDGER_REPAIR;
}

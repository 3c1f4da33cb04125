#include "ft/role/role.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

void role_spends(const struct role *r, enum ledger_phase phase)
{
	const struct ft_hooks *hooks = &r->cfg->hooks;

	if (hooks->enters)
		hooks->enters(hooks->ctx, r->front, phase);
}

void role_loses(struct role *r)
{
	r->ledger->recovering = 1;
	role_spends(r, LEDGER_REPAIR);
}

void role_enter(struct role *r, enum ledger_phase phase)
{
	r->ledger->phase = phase;
	role_spends(r, phase);
}

static void at_operation(void *ctx, bool sending)
{
	const struct role *r = ctx;

	r->ledger->ops = r->ports.cursor.ops;
	if (sending && r->ports.cursor.pushes == 2)
		role_reached(r, r->ports.cursor.at.iter, FT_SEND);
	role_reached(r, r->ports.cursor.at.iter, FT_OPERATION);
}

static void waits(void *ctx, bool begins)
{
	const struct role *r = ctx;

	ft_does(&r->cfg->hooks, FT_WAITING, begins);
}

static void before_wait(void *ctx)
{
	struct role *r = ctx;

	cursor_pass(&r->ports.cursor, false);
}

int role_barrier(struct role *r)
{
	RB_TRY(dissemination_begin(&r->rounds, NULL, 0));
	return dissemination_wait(&r->rounds, before_wait, r);
}

static double cost_of_reading(void)
{
	enum { TIMES = 200 };
	double begin = clock_monotonic();

	for (int i = 0; i < TIMES; i++)
		clock_monotonic();
	return (clock_monotonic() - begin) / TIMES;
}

int role_open(struct role *r, const struct ft_config *cfg, struct constants *constants, int id,
	      struct rb_error *err)
{
	memset(r, 0, sizeof *r);
	r->cfg = cfg;
	r->constants = constants;
	r->id = id;
	link_init(&r->link, id, cfg->np);
	dissemination_init(&r->rounds, &r->link, TAG_ROUNDS);
	if (ports_init(&r->ports, &r->link, &cfg->policy, ft_uses_dataflow(cfg)) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for the message log", id);
	if (cfg->hooks.reached) {
		r->ports.cursor.probe = at_operation;
		r->ports.cursor.ctx = r;
	}
	if (cfg->hooks.does) {
		r->link.wait.told = waits;
		r->link.wait.ctx = r;
	}
	r->ledger = ledger_open(cfg->dir, id, err);
	if (!r->ledger)
		return RB_EIO;
	r->reading = cost_of_reading();
	r->ledger->phase = LEDGER_SETUP;
	r->ledger->status = RB_OK; /* an earlier job may have left an error */
	r->ledger->message[0] = '\0';
	r->ledger->recovering = 0; /* left by the process before */
	r->ledger->incarnations++;
	r->ledger->iterations = cfg->iterations;
	if (cfg->hooks.adopted)
		cfg->hooks.adopted(cfg->hooks.ctx, id, r->ledger);
	return RB_OK;
}

void role_close(struct role *r)
{
	undo_free(&r->undo);
	r->cfg->kernel->destroy(r->kernel);
	requests_free(&r->replay.requests);
	ports_free(&r->ports);
	dissemination_free(&r->rounds);
	link_free(&r->link);
	ledger_close(r->ledger);
	memset(r, 0, sizeof *r);
}

void role_note_refusal(struct role *r, const struct rb_error *why)
{
	r->ledger->refusals++;
	snprintf(r->ledger->refusal, sizeof r->ledger->refusal, "%s", why->text);
}

bool role_finished(const struct role *r)
{
	const struct kernel_ops *kernel = r->cfg->kernel;

	return r->front >= r->cfg->iterations || (kernel->finished && kernel->finished(r->kernel));
}

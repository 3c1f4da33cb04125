#include "ft/role/iterate.h"

#include "base/clock.h"

#include <inttypes.h>

/* Close the measurements of a recovery as soon as their ends are reached. */
int watch_recovery(struct role *r)
{
	struct ledger_event *e = r->recovery.event;

	if (!e)
		return RB_OK;
	if (r->recovery.catching_up && r->front >= e->front_before) {
		e->catchup_s = clock_now() - r->recovery.resumed;
		r->recovery.catching_up = false;
	}
	if (e->wait_s < 0 && r->front > e->restart) {
		e->wait_s = clock_now() - r->recovery.resumed;
		e->wait_cpu_s = r->link.wait.cpu;
		wait_watch(&r->link.wait, false);
	}
	if (r->recovery.replaying) {
		bool done;

		RB_TRY(link_test(&r->link, &r->replay.requests, &done));
		if (done) {
			e->replay_s = clock_now() - r->recovery.resumed;
			r->recovery.replaying = false;
		}
	}
	if (!r->recovery.replaying && !r->recovery.catching_up && e->wait_s >= 0)
		r->recovery.event = NULL;
	return RB_OK;
}

static void note_drops(struct role *r)
{
	const struct log *log = ports_capped(&r->ports);
	struct ledger *l = r->ledger;

	for (; r->drops < log->drops; r->drops++) {
		if (r->drops < LOG_DROPS && l->drop_count < LEDGER_DROPS) {
			const struct log_drop *d = &log->drop[r->drops];

			l->drop[l->drop_count] =
				(struct ledger_drop){ d->iter, d->bytes, d->dst,
						      log != &r->ports.logging.log };
		}
		l->drop_count++;
	}
}

/* Those who lack kept messages need nothing of the next iteration before they have them. */
int iterate_release(struct role *r)
{
	if (!r->replay.kept || r->front <= r->ports.demand.front[r->id])
		return RB_OK;
	RB_TRY(link_wait(&r->link, &r->replay.requests));
	r->replay.kept = false;
	return RB_OK;
}

static int64_t larger(int64_t a, size_t b)
{
	return (int64_t)b > a ? (int64_t)b : a;
}

static void note_receiver(struct role *r)
{
	const struct receiver_port *x = r->ports.receiver;
	struct ledger *l = r->ledger;

	l->received_peak = larger(l->received_peak, (size_t)x->received.log.bytes_peak);
	l->reread += x->messages - r->reread.messages;
	l->reread_bytes += x->bytes - r->reread.bytes;
	r->reread.messages = x->messages;
	r->reread.bytes = x->bytes;
}

/* Update the ledger at each commit, so that the counts survive the process. */
static void note_commit(struct role *r)
{
	const struct kept *kept = ports_kept(&r->ports);
	struct ledger *l = r->ledger;

	l->executed++;
	l->aborted = l->begun - l->executed;
	l->log_bytes_peak = larger(l->log_bytes_peak, (size_t)ports_bytes_peak(&r->ports));
	l->log_bytes_total += ports_bytes_total(&r->ports) - r->logged;
	r->logged = ports_bytes_total(&r->ports);
	if (r->drops < ports_capped(&r->ports)->drops)
		note_drops(r);
	if (r->ports.results)
		l->results_peak = larger(l->results_peak, r->ports.results->results.bytes_peak);
	if (kept)
		l->kept_peak = larger(l->kept_peak, kept->bytes_peak);
	if (r->ports.receiver)
		note_receiver(r);
}

int iterate_step(const struct role *r, const char *whose, struct kernel_state *state, struct msg *m,
		 int64_t iter, struct rb_error *err)
{
	struct rb_error why = { "" };
	int rc;

	/* Profilers tell the messages of iterations from those of the engine by the phase. */
	MPI_Pcontrol(FT_PHASE_ITERATIONS);
	rc = r->cfg->kernel->step(state, m, iter);
	MPI_Pcontrol(FT_PHASE_ENGINE);
	if (rc != RB_ENUMERIC || !r->cfg->kernel->breakdown)
		return rc;
	r->cfg->kernel->breakdown(state, &why);
	return rb_fail(err, rc, "%srole %d, iteration %" PRId64 ": %.400s", whose, r->id, iter,
		       why.text);
}

/* Before an iteration, so that it can be begun again although it may change the state. */
static int copy_state(struct role *r, bool timed, struct rb_error *err)
{
	double begun;

	r->clock.copied = 0;
	if (r->cfg->transaction != FT_COPY)
		return RB_OK;
	begun = timed ? clock_monotonic() : 0;
	if (undo_take(&r->undo, r->cfg->kernel, r->kernel) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for a copy of its state",
			       r->id);
	if (timed) {
		r->clock.copied = clock_monotonic() - begun;
		r->ports.timed.readings += 2;
	}
	return RB_OK;
}

static void clock_begin(struct role *r)
{
	r->clock.log = r->ports.timed.log;
	r->clock.pack = r->ports.timed.pack;
	r->clock.communicate = r->ports.timed.communicate;
	r->clock.begun = clock_monotonic();
	r->ledger->phases.clock += r->reading;
	r->clock.under_way = true;
}

/* number: of this timed iteration. A process that is killed in the middle of halving leaves some of
 * its values twice. */
static void note_work(struct ledger_work *w, int64_t number, double seconds)
{
	if (w->count == LEDGER_WORKS) {
		for (int i = 0; i < LEDGER_WORKS / 2; i++)
			w->seconds[i] = w->seconds[2 * i];
		w->count = LEDGER_WORKS / 2;
		w->halved++;
	}
	if (number % ((int64_t)1 << w->halved) == 0)
		w->seconds[w->count++] = seconds;
}

/* Split the time of the iteration just committed. computed: when its last message was through. */
static void clock_end(struct role *r, double computed)
{
	struct ledger_phases *p = &r->ledger->phases;
	double log = r->ports.timed.log - r->clock.log, pack = r->ports.timed.pack - r->clock.pack;
	double communicate = r->ports.timed.communicate - r->clock.communicate;
	double end = clock_monotonic();

	p->log += log;
	p->pack += pack;
	p->communicate += communicate;
	p->copy += r->clock.copied;
	p->compute += computed - r->clock.begun - r->clock.copied - log - pack - communicate;
	p->commit += end - computed;
	p->total += end - r->clock.begun;
	note_work(&r->ledger->work, p->iterations,
		  end - r->clock.begun - r->clock.copied - log - communicate);
	p->iterations++;
	p->clock += (double)(r->ports.timed.readings + 2) * r->reading;
	r->ports.timed.readings = 0;
}

int iterate(struct role *r, struct rb_error *err)
{
	int64_t iter = r->front;
	bool timed = iter % LEDGER_SAMPLE == 0;
	double computed = 0;

	role_enter(r, LEDGER_STEP);
	r->ledger->begun++;
	r->ledger->ops = 0;
	role_reached(r, iter, FT_START);
	RB_TRY(iterate_release(r));
	clock_begin(r);
	RB_TRY(copy_state(r, timed, err));
	ports_begin(&r->ports, iter, timed);
	RB_TRY(iterate_step(r, "", r->kernel, r->ports.top, iter, err));
	RB_TRY(ports_flush(&r->ports));
	if (timed)
		computed = clock_monotonic();
	role_reached(r, iter, FT_COMMIT);
	r->cfg->kernel->commit(r->kernel, iter);
	undo_forget(&r->undo);
	if (ports_commit(&r->ports, !replay_over(&r->replay)) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for results of reductions",
			       r->id);
	if (timed)
		clock_end(r, computed);
	r->clock.under_way = false;
	note_commit(r);
	r->front = r->ledger->front = iter + 1;
	return watch_recovery(r);
}

void iterate_abort(struct role *r)
{
	if (r->clock.under_way)
		r->ledger->phases.aborted += clock_monotonic() - r->clock.begun;
	r->clock.under_way = false;
	undo_apply(&r->undo, r->cfg->kernel, r->kernel);
	r->ledger->aborted = r->ledger->begun - r->ledger->executed;
	r->ledger->phase = LEDGER_REPAIR;
}

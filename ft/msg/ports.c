#include "ft/msg/ports.h"

#include <stdlib.h>
#include <string.h>

static int add_receiver(struct ports *p)
{
	p->receiver = malloc(sizeof *p->receiver);
	if (!p->receiver)
		return RB_ENOMEM;
	return receiver_init(p->receiver, &p->plain, &p->cursor, &p->demand, &p->logging.policy);
}

static int add_dataflow(struct ports *p)
{
	p->keeping = malloc(sizeof *p->keeping);
	if (p->keeping)
		keeping_init(p->keeping, &p->plain, &p->cursor);
	p->results = malloc(sizeof *p->results);
	if (p->results)
		results_port_init(p->results, &p->plain, &p->cursor, &p->demand);
	return p->keeping && p->results ? RB_OK : RB_ENOMEM;
}

int ports_init(struct ports *p, struct link *link, const struct policy *policy, bool dataflow)
{
	memset(p, 0, sizeof *p);
	plain_init(&p->plain, link);
	timed_init(&p->timed, &p->plain);
	RB_TRY(logging_init(&p->logging, &p->plain, &p->cursor, &p->demand, policy));
	if (policy->by_receivers)
		RB_TRY(add_receiver(p));
	return dataflow ? add_dataflow(p) : RB_OK;
}

void ports_free(struct ports *p)
{
	if (p->results)
		results_port_free(p->results);
	if (p->keeping)
		keeping_free(p->keeping);
	if (p->receiver)
		receiver_free(p->receiver);
	free(p->results);
	free(p->keeping);
	free(p->receiver);
	logging_free(&p->logging);
	plain_free(&p->plain);
	memset(p, 0, sizeof *p);
}

/* Returns the top. */
static struct msg *stack(struct ports *p)
{
	struct msg *m = &p->plain.msg;

	if (p->is_timed)
		m = layer_on(&p->timed.lower, m);
	if (p->results)
		p->results->past = m;
	if (p->receiver)
		m = layer_on(&p->receiver->layer, m);
	if (p->keeping)
		m = layer_on(&p->keeping->layer, m);
	m = layer_on(&p->logging.layer, m);
	if (p->results)
		m = layer_on(&p->results->layer, m);
	return p->is_timed ? layer_on(&p->timed.upper, m) : m;
}

void ports_begin(struct ports *p, int64_t iter, bool timed)
{
	plain_begin(&p->plain);
	cursor_begin(&p->cursor, iter);
	log_begin(&p->logging.log, iter);
	if (p->receiver)
		receiver_begin(p->receiver, iter);
	if (p->keeping)
		kept_begin(&p->keeping->kept, iter);
	if (p->results)
		results_port_begin(p->results, iter);
	p->is_timed = timed;
	p->top = stack(p);
}

int ports_flush(struct ports *p)
{
	return p->is_timed ? timed_flush(&p->timed) : plain_flush(&p->plain);
}

/* All sends have left; only a replay could still point into the log. */
int ports_commit(struct ports *p, bool replaying)
{
	log_commit(&p->logging.log);
	if (p->logging.log.dead > 0 && !replaying)
		log_compact(&p->logging.log);
	if (p->receiver)
		receiver_commit(p->receiver, p->logging.log.bytes);
	return p->results ? results_commit(&p->results->results) : RB_OK;
}

void ports_abort(struct ports *p)
{
	plain_drain(&p->plain);
	log_abort(&p->logging.log);
	if (p->receiver)
		received_abort(&p->receiver->received);
}

int ports_trim(struct ports *p, int64_t c)
{
	if (p->results)
		results_trim(&p->results->results, c);
	if (p->receiver)
		RB_TRY(received_trim(&p->receiver->received, c));
	return log_trim(&p->logging.log, c);
}

void ports_mark(struct ports *p, int64_t c)
{
	log_mark(&p->logging.log, c);
	if (p->receiver)
		received_mark(&p->receiver->received, c);
}

static void restart_sent(struct ports *p, int64_t c)
{
	if (p->results)
		results_restart(&p->results->results, c);
	log_restart(&p->logging.log, c);
}

void ports_restart(struct ports *p, int64_t c)
{
	restart_sent(p, c);
	if (p->receiver)
		received_restart(&p->receiver->received, c);
}

int ports_roll_back(struct ports *p, int64_t c)
{
	restart_sent(p, c);
	return p->receiver ? received_roll_back(&p->receiver->received, c) : RB_OK;
}

int64_t ports_bytes_peak(const struct ports *p)
{
	return p->receiver && p->receiver->both_peak > p->logging.log.bytes_peak
		       ? p->receiver->both_peak
		       : p->logging.log.bytes_peak;
}

int64_t ports_bytes_total(const struct ports *p)
{
	return p->logging.log.bytes_total + (p->receiver ? ports_received(p)->bytes_total : 0);
}

void *ports_stored(const struct ports *p, struct place place)
{
	const struct kept_iteration *kept = kept_of(ports_kept(p), place.iter);
	const struct log_entry *e = log_find(&p->logging.log, place);

	if (e)
		return e->payload;
	for (size_t i = 0; kept && i < kept->count; i++)
		if (kept->message[i].place.number == place.number)
			return kept->message[i].payload;
	return NULL;
}

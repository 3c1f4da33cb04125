#include "ft/log/received.h"

#include "base/status.h"

int received_init(struct received *r, int np)
{
	*r = (struct received){ .until = 0 };
	return log_init(&r->log, np);
}

void received_free(struct received *r)
{
	log_free(&r->log);
}

void received_begin(struct received *r, int64_t iter)
{
	r->iter = iter;
	r->repeats = iter < r->until;
	if (r->repeats)
		r->next = log_first(&r->log, (struct place){ iter, 0 });
	else
		log_begin(&r->log, iter);
}

void received_commit(struct received *r)
{
	if (r->repeats)
		return;
	log_commit(&r->log);
	log_compact(&r->log); /* nothing is ever sent from here */
	r->until = r->iter + 1;
}

void received_abort(struct received *r)
{
	if (!r->repeats)
		log_abort(&r->log);
}

/* The receives of an iteration are the same each time, in the same order, so the next entry belongs
 * to this receive or to a later one. */
const struct log_entry *received_again(struct received *r, int source, int tag)
{
	const struct log_entry *e = r->next < r->log.count ? &r->log.entry[r->next] : NULL;

	if (!e || log_iter(&r->log, e) != r->iter || e->dst != source || e->tag != tag)
		return NULL;
	r->next++;
	return e;
}

/* A role that repeats the iterations before a checkpoint takes it again. Its messages were told
 * apart the first time. */
void received_mark(struct received *r, int64_t c)
{
	if (r->log.mark != c)
		log_mark(&r->log, c);
}

int received_trim(struct received *r, int64_t c)
{
	if (r->log.mark == c)
		return log_trim(&r->log, c);
	received_restart(r, c);
	return RB_OK;
}

void received_restart(struct received *r, int64_t c)
{
	log_restart(&r->log, c);
	r->until = c;
}

int received_roll_back(struct received *r, int64_t c)
{
	return r->log.since == c ? RB_OK : received_trim(r, c);
}

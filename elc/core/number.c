/* Identification by numbers of messages. */
#include "elc/core/number.h"

#include "base/mix.h"
#include "elc/core/process_data.h"

int elc_number_ask(struct elc_process *p, int dest)
{
	struct elc_channel *c = &p->with[dest];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->expected.n; i++)
		if (!c->expected.sum[i].done)
			rc = elc_set_add(&c->cut_sent, c->expected.sum[i].key, 1);
	return rc;
}

/* Numbers of messages, and the sum over their envelopes. */
struct tally {
	struct elc_set *number;
	uint64_t mix;
	int rc;
};

static void count(struct tally *t, elc_key key, int64_t num)
{
	if (key == ELC_MIX) {
		t->mix += (uint64_t)num;
		return;
	}
	if (!elc_is_number(key))
		t->mix += (uint64_t)num * mix(key);
	t->rc = t->rc ? t->rc : elc_set_add(t->number, elc_number_key(key), num);
}

/* What is not 0 stays. -2: something is below. */
static int drop_zeros(struct elc_set *set)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < set->n; i++) {
		rc = set->entry[i].num < 0 ? -2 : rc;
		if (set->entry[i].num)
			set->entry[kept++] = set->entry[i];
	}
	set->n = kept;
	return rc;
}

/* Of the orphans of the line before, those stay that the request names; those that have come early
 * are new. */
static int new_orphans(struct elc_channel *c)
{
	struct elc_set fresh;
	int rc = 0;

	elc_set_init(&fresh, ELC_COUNTED);
	for (size_t i = 0; rc == 0 && i < c->request.n; i++) {
		const struct elc_entry *e = &c->request.entry[i];

		if (elc_is_number(e->key))
			continue;
		rc = e->num > elc_set_count(&c->orphan, e->key)
			     ? -2
			     : elc_set_add(&fresh, e->key, e->num);
	}
	for (size_t i = 0; rc == 0 && i < c->early.n; i++)
		rc = elc_set_add(&fresh, c->early.entry[i].key, c->early.entry[i].num);
	elc_set_free(&c->orphan);
	elc_set_free(&c->early);
	c->orphan = fresh;
	return rc;
}

/* In transit = in transit at the line before + sent - received - orphans of the line before, whose
 * sends have now happened. */
int elc_number_identify(struct elc_process *p, int peer)
{
	struct elc_channel *c = &p->with[peer];
	struct tally t = { &c->transit, c->transit_mix - c->cut_received_mix, 0 };
	int rc;

	for (size_t i = 0; i < c->request.n; i++)
		count(&t, c->request.entry[i].key, c->request.entry[i].num);
	for (size_t i = 0; i < c->cut_received.n; i++)
		count(&t, c->cut_received.entry[i].key, -c->cut_received.entry[i].num);
	for (size_t i = 0; i < c->orphan.n; i++)
		count(&t, c->orphan.entry[i].key, -c->orphan.entry[i].num);
	c->transit_mix = t.mix;
	rc = t.rc ? t.rc : new_orphans(c);
	elc_set_free(&c->request);
	elc_set_free(&c->cut_received);
	return rc ? rc : drop_zeros(&c->transit);
}

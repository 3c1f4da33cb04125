/* Event logging: the logs are of envelopes, and the order in which MPI matches messages of equal
 * envelope says which are in transit. */
#include "elc/core/process.h"

#include <string.h>

const struct elc_protocol *elc_protocol_named(const char *name)
{
	static const struct elc_protocol *const all[] = { &elc_events, &elc_tagging,
							  &elc_tagging_copy, &elc_markers };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

/* Nothing is known before identification, so nothing is early or late. */
static int64_t stamp(const struct elc_process *p, int peer, elc_key key, int64_t carried)
{
	(void)peer, (void)key, (void)carried;
	return elc_line_epoch(&p->line);
}

static int ask(struct elc_process *p, int dest)
{
	(void)p, (void)dest;
	return 0;
}

static int identify(struct elc_process *p, int peer)
{
	struct elc_channel *c = &p->with[peer];

	return elc_identify(&c->request, &c->cut_received, &c->transit, &c->orphan);
}

static bool settled(struct elc_process *p, int peer, const struct elc_pending *pending,
		    size_t npending)
{
	const struct elc_channel *c = &p->with[peer];

	if (c->catch.missing)
		return false;
	if (elc_catch_undisturbed(&c->catch, peer, pending, npending))
		return true;
	if (!c->catch.chosen)
		elc_process_choose(p, peer);
	return elc_catch_final(&c->catch, peer, pending, npending);
}

const struct elc_protocol elc_events = { "events", true, false,   stamp, ask,
					 identify, NULL, settled, false, NULL };

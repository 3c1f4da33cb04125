/* Message tagging: each message says after which cut of its sender it was sent. */
#include "elc/core/number.h"
#include "elc/core/process.h"

static int64_t stamp(const struct elc_process *p, int peer, elc_key key, int64_t carried)
{
	(void)p, (void)peer, (void)key;
	return carried;
}

/* What is caught is in transit by its stamp, so it is enough to count. */
static bool settled(struct elc_process *p, int peer, const struct elc_pending *pending,
		    size_t npending)
{
	(void)pending, (void)npending;
	return p->with[peer].catch.missing == 0;
}

const struct elc_protocol elc_tagging = { "tagging", false,          true,
					  stamp,     elc_number_ask, elc_number_identify,
					  NULL,      settled,        false,
					  NULL };

const struct elc_protocol elc_tagging_copy = { "tagging-copy", false,          true,
					       stamp,          elc_number_ask, elc_number_identify,
					       NULL,           settled,        true,
					       "tagging" };

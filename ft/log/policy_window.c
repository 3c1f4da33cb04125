/* The hybrid protocol (message-logging-kernels paper, Sect. 6, Fig. 5): the first K iterations of
 * each checkpoint interval are logged. While the front is among them, rollback is local; after
 * them, the closure makes it global. */
#include "base/status.h"
#include "base/text.h"
#include "ft/log/policy.h"

static int parse(struct policy *p, const char *args, struct rb_error *err)
{
	if (!text_integer(args, 1, INT64_MAX, &p->amount))
		return rb_fail(
			err, RB_EINVAL,
			"--policy window:%s: expected window:K, K iterations of each checkpoint "
			"interval, for instance window:10",
			args ? args : "");
	return RB_OK;
}

static bool admits(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	(void)dst, (void)bytes;
	return l->begin.iter - log_interval(l) < p->amount;
}

static int64_t amount(const struct policy *p)
{
	return p->amount;
}

const struct policy_ops policy_window = {
	.name = "window",
	.form = "window:K",
	.summary = "log the first K iterations of each interval: local rollback there, then global",
	.parse = parse,
	.admits = admits,
	.first_iterations = amount,
};

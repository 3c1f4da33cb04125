/* A budget for the log as a share of what policy all, or `receiver`, would need. */
#include "forecast/forecast.h"

#include "base/status.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "budget:";

int forecast_share_parse(struct forecast_share *share, const char *option, const char *policy,
			 struct rb_error *err)
{
	const char *at = policy + sizeof prefix - 1;

	*share = (struct forecast_share){ .by_receivers = strstr(policy, ":receiver") != NULL };
	if (strncmp(policy, prefix, sizeof prefix - 1) != 0 || !strchr(policy, '%'))
		return RB_OK;
	if (!text_real(&at, &share->percent) || *at != '%' || share->percent <= 0 ||
	    share->percent > 100 ||
	    snprintf(share->rest, sizeof share->rest, "%s", at + 1) >= (int)sizeof share->rest)
		return rb_fail(
			err, RB_EINVAL,
			"%s %s: expected for instance budget:30%%, with more than 0 and at most "
			"100 percent",
			option, policy);
	return RB_OK;
}

int forecast_share_peak(const struct forecast_share *share, struct forecast_run run, int64_t *peak,
			struct rb_error *err)
{
	run.policy = (struct policy){ .ops = share->by_receivers ? &policy_receiver : &policy_all,
				      .by_receivers = share->by_receivers };
	return forecast_peak(&run, peak, err);
}

void forecast_share_policy(const struct forecast_share *share, int64_t peak, char *policy,
			   size_t size)
{
	snprintf(policy, size, "%s%" PRId64 "%s", prefix,
		 (int64_t)(share->percent / 100 * (double)peak), share->rest);
}

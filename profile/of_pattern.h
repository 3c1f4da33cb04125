/* profile/of_pattern.h - the profile of a pattern: nothing is run. */
#ifndef PROFILE_OF_PATTERN_H
#define PROFILE_OF_PATTERN_H

#include "contract/pattern.h"
#include "profile/profile.h"

/* Add what all roles send in iterations from to to - 1, as entries of a phase. It needs memory for
 * each channel, and for np numbers. A message to the role itself is one that the pattern reports as
 * such (kernel_pattern.copies). RB_OK, RB_ENOMEM, or what the pattern returned. */
int profile_add_pattern(struct profile *p, const struct pattern *pattern, int64_t from, int64_t to,
			int32_t phase);

#endif

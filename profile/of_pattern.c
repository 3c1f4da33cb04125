#include "profile/of_pattern.h"

#include "base/status.h"

#include <stdlib.h>

/* What one role sends, while it is added up. */
struct sums {
	struct sum {
		int64_t count, bytes;
	} *to;     /* np */
	int *used; /* np: the receivers, `receivers` of them */
	int receivers;
};

static int add_message(void *ctx, int dst, int tag, size_t bytes)
{
	struct sums *s = ctx;

	(void)tag;
	if (s->to[dst].count++ == 0)
		s->used[s->receivers++] = dst;
	s->to[dst].bytes += (int64_t)bytes;
	return RB_OK;
}

static int ascending(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Move the sums of a role into the profile, so that the next role begins with none. */
static int enter(struct profile *p, struct sums *s, int role, int32_t phase)
{
	qsort(s->used, (size_t)s->receivers, sizeof *s->used, ascending);
	for (int i = 0; i < s->receivers; i++) {
		struct sum *sum = &s->to[s->used[i]];

		RB_TRY(profile_add_channel(p, &(struct profile_channel){ phase, role, s->used[i],
									 sum->count, sum->bytes }));
		*sum = (struct sum){ 0, 0 };
	}
	s->receivers = 0;
	return RB_OK;
}

static int add_role(struct profile *p, struct sums *s, const struct pattern *pattern, int role,
		    int64_t from, int64_t to, int32_t phase)
{
	for (int64_t i = from; i < to; i++)
		RB_TRY(pattern_sends(pattern, role, i, add_message, s));
	return enter(p, s, role, phase);
}

int profile_add_pattern(struct profile *p, const struct pattern *pattern, int64_t from, int64_t to,
			int32_t phase)
{
	struct sums s = { calloc((size_t)pattern->np, sizeof *s.to),
			  calloc((size_t)pattern->np, sizeof *s.used), 0 };
	int rc = s.to && s.used ? RB_OK : RB_ENOMEM;

	for (int role = 0; rc == RB_OK && role < pattern->np; role++)
		rc = add_role(p, &s, pattern, role, from, to, phase);
	free(s.to);
	free(s.used);
	return rc;
}

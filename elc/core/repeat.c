/* Checksums of messages that a process sends again after a restart. */
#include "elc/core/repeat.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int elc_sums_add(struct elc_sums *s, struct elc_sum sum)
{
	struct elc_sum *fresh = grow(s->sum, s->n + 1, &s->room, sizeof *fresh);

	if (!fresh)
		return -1;
	s->sum = fresh;
	s->sum[s->n++] = sum;
	return 0;
}

void elc_sums_free(struct elc_sums *s)
{
	free(s->sum);
	*s = (struct elc_sums){ NULL, 0, 0 };
}

static int64_t count(const struct elc_sums *s, size_t before, elc_key key)
{
	int64_t n = 0;

	for (size_t i = 0; i < before; i++)
		n += s->sum[i].key == key;
	return n;
}

int elc_sums_keep(struct elc_sums *s, const struct elc_set *orphan, elc_key *key)
{
	size_t kept = 0;

	for (size_t i = 0; i < orphan->n; i++)
		if (count(s, s->n, orphan->entry[i].key) < elc_set_count(orphan, orphan->entry[i].key)) {
			*key = orphan->entry[i].key;
			return -1;
		}
	/* What was kept so far are the first ones of each envelope. */
	for (size_t i = 0; i < s->n; i++)
		if (count(s, kept, s->sum[i].key) < elc_set_count(orphan, s->sum[i].key))
			s->sum[kept++] = s->sum[i];
	s->n = kept;
	return 0;
}

const struct elc_sum *elc_sums_next(const struct elc_sums *s, elc_key key)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->sum[i].key == key)
			return &s->sum[i];
	return NULL;
}

void elc_sums_done(struct elc_sums *s, const struct elc_sum *next)
{
	const size_t at = (size_t)(next - s->sum);

	s->n--;
	memmove(&s->sum[at], &s->sum[at + 1], (s->n - at) * sizeof *s->sum);
}

/* Checksums of messages that a process sends again after a restart. */
#include "elc/core/repeat.h"

#include "base/grow.h"

#include <stdlib.h>

enum { NONE = 1, FIRST = 2 }; /* in a queue: its end; the first message of all */

int elc_sums_add(struct elc_sums *s, struct elc_sum sum)
{
	struct elc_sum *fresh = grow(s->sum, s->n + 1, &s->room, sizeof *fresh);

	if (!fresh)
		return -1;
	s->sum = fresh;
	s->sum[s->n++] = sum;
	s->left++;
	return 0;
}

void elc_sums_free(struct elc_sums *s)
{
	free(s->sum);
	free(s->next);
	s->first.form = ELC_COUNTED;
	elc_log_free(&s->first);
	*s = (struct elc_sums){ .first = { .form = ELC_COUNTED } };
}

/* How many messages of each envelope are orphans. */
static int count_orphans(const struct elc_set *orphan, struct elc_log *left)
{
	elc_log_init(left, ELC_COUNTED);
	for (size_t i = 0; i < orphan->n; i++)
		if (elc_left_add(left, orphan->entry[i].key, orphan->entry[i].num))
			return -1;
	return 0;
}

/* One queue per envelope, from the last message to the first. */
static int make_queues(struct elc_sums *s)
{
	s->next = malloc((s->n ? s->n : 1) * sizeof *s->next);
	elc_log_init(&s->first, ELC_COUNTED);
	for (size_t i = s->n; s->next && i-- > 0;) {
		struct elc_entry *e = elc_log_enter(&s->first, s->sum[i].key);

		if (!e)
			return -1;
		s->next[i] = e->num ? (size_t)e->num : NONE;
		e->num = (int64_t)(i + FIRST);
	}
	return s->next ? 0 : -1;
}

int elc_sums_keep(struct elc_sums *s, const struct elc_set *orphan, elc_key *key)
{
	struct elc_log left;
	size_t kept = 0;
	int rc = count_orphans(orphan, &left);

	for (size_t i = 0; rc == 0 && i < s->n; i++)
		if (elc_left_take(&left, s->sum[i].key))
			s->sum[kept++] = s->sum[i];
	for (size_t i = 0; rc == 0 && i < orphan->n; i++)
		if (elc_left_take(&left, orphan->entry[i].key)) {
			*key = orphan->entry[i].key;
			rc = -2;
		}
	elc_log_free(&left);
	s->n = s->left = kept;
	return rc == 0 ? make_queues(s) : rc;
}

const struct elc_sum *elc_sums_next(const struct elc_sums *s, elc_key key)
{
	const struct elc_entry *e = elc_log_find(&s->first, key);

	return e && e->num != NONE ? &s->sum[e->num - FIRST] : NULL;
}

void elc_sums_done(struct elc_sums *s, const struct elc_sum *next)
{
	const size_t at = (size_t)(next - s->sum);

	elc_log_find(&s->first, next->key)->num = (int64_t)s->next[at];
	s->sum[at].done = 1;
	s->left--;
}

const struct elc_sum *elc_sums_first(const struct elc_sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->sum[i].done)
			return &s->sum[i];
	return NULL;
}

#include "profile/profile.h"

#include "base/grow.h"
#include "base/status.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void profile_init(struct profile *p, int np)
{
	*p = (struct profile){ .np = np };
}

void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->keys; i++) {
		free(p->key[i].name);
		free(p->key[i].value);
	}
	free(p->key);
	free(p->channel);
	free(p->collective);
	free(p->incomplete);
	*p = (struct profile){ .np = 0 };
}

static struct profile_key *find(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->keys; i++)
		if (strcmp(p->key[i].name, name) == 0)
			return &p->key[i];
	return NULL;
}

const char *profile_get(const struct profile *p, const char *name)
{
	const struct profile_key *k = find(p, name);

	return k ? k->value : NULL;
}

int profile_set(struct profile *p, const char *name, const char *value)
{
	struct profile_key *k = find(p, name), *more;
	char *copy = strdup(value), *called = k ? NULL : strdup(name);

	if (k && copy) {
		free(k->value);
		k->value = copy;
		return RB_OK;
	}
	more = k ? NULL : grow(p->key, p->keys + 1, &p->key_room, sizeof *p->key);
	if (more)
		p->key = more;
	if (!copy || !called || !more) {
		free(copy);
		free(called);
		return RB_ENOMEM;
	}
	p->key[p->keys++] = (struct profile_key){ called, copy };
	return RB_OK;
}

int profile_set_incomplete(struct profile *p, const char *why)
{
	char *copy = strdup(why);

	if (!copy)
		return RB_ENOMEM;
	free(p->incomplete);
	p->incomplete = copy;
	return RB_OK;
}

int profile_add_channel(struct profile *p, const struct profile_channel *c)
{
	struct profile_channel *more =
		grow(p->channel, p->channels + 1, &p->channel_room, sizeof *more);

	if (!more)
		return RB_ENOMEM;
	p->channel = more;
	p->channel[p->channels++] = *c;
	return RB_OK;
}

int profile_add_collective(struct profile *p, const struct profile_collective *c)
{
	struct profile_collective *more =
		grow(p->collective, p->collectives + 1, &p->collective_room, sizeof *more);

	if (!more)
		return RB_ENOMEM;
	p->collective = more;
	p->collective[p->collectives++] = *c;
	return RB_OK;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

int profile_compare_channels(const void *a, const void *b)
{
	const struct profile_channel *x = a, *y = b;
	int c = compare(x->phase, y->phase);

	c = c ? c : compare(x->source, y->source);
	return c ? c : compare(x->destination, y->destination);
}

int profile_compare_collectives(const void *a, const void *b)
{
	const struct profile_collective *x = a, *y = b;
	int c = compare(x->phase, y->phase);

	c = c ? c : strcmp(x->kind, y->kind);
	c = c ? c : compare(x->source, y->source);
	return c ? c : compare(x->size, y->size);
}

static void merge_channels(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->channels; i++) {
		struct profile_channel *last = kept > 0 ? &p->channel[kept - 1] : NULL;

		if (last && profile_compare_channels(last, &p->channel[i]) == 0) {
			last->count += p->channel[i].count;
			last->bytes += p->channel[i].bytes;
		} else {
			p->channel[kept++] = p->channel[i];
		}
	}
	p->channels = kept;
}

static void merge_collectives(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->collectives; i++) {
		struct profile_collective *last = kept > 0 ? &p->collective[kept - 1] : NULL;

		if (last && profile_compare_collectives(last, &p->collective[i]) == 0) {
			last->count += p->collective[i].count;
			last->bytes += p->collective[i].bytes;
		} else {
			p->collective[kept++] = p->collective[i];
		}
	}
	p->collectives = kept;
}

/* Most profiles are made in order, so that there is nothing to sort. */
static void sort(void *list, size_t count, size_t size, int (*order)(const void *, const void *))
{
	const char *at = list;

	for (size_t i = 1; i < count; i++)
		if (order(at + (i - 1) * size, at + i * size) > 0) {
			qsort(list, count, size, order);
			return;
		}
}

void profile_sort(struct profile *p)
{
	sort(p->channel, p->channels, sizeof *p->channel, profile_compare_channels);
	sort(p->collective, p->collectives, sizeof *p->collective, profile_compare_collectives);
	merge_channels(p);
	merge_collectives(p);
}

void profile_sum_phases(struct profile *p)
{
	for (size_t i = 0; i < p->channels; i++)
		p->channel[i].phase = 0;
	for (size_t i = 0; i < p->collectives; i++)
		p->collective[i].phase = 0;
	profile_sort(p);
}

int profile_keep_phase(struct profile *p, int phase, struct rb_error *err)
{
	size_t channels = 0, collectives = 0;

	for (size_t i = 0; i < p->channels; i++)
		if (p->channel[i].phase == phase)
			p->channel[channels++] = p->channel[i];
	for (size_t i = 0; i < p->collectives; i++)
		if (p->collective[i].phase == phase)
			p->collective[collectives++] = p->collective[i];
	p->channels = channels;
	p->collectives = collectives;
	if (channels + collectives > 0)
		return RB_OK;
	return rb_fail(err, RB_EINVAL,
		       "the profile has no row of phase %d; its first column has the phases",
		       phase);
}

bool profile_is_name(const char *name)
{
	return text_ends_with(name, ".csv") || text_ends_with(name, ".csv.gz");
}

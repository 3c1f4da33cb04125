/* Which of the messages that were received or held since a cut were in transit. */
#include "elc/core/catch.h"

#include "base/grow.h"
#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

int elc_messages_add(struct elc_messages *all, struct elc_message *m)
{
	struct elc_message **fresh =
		grow(all->m, all->n + 1, &all->room, sizeof(struct elc_message *));
	size_t at = all->n;

	if (!fresh)
		return -1;
	all->m = fresh;
	while (at > 0 && all->m[at - 1]->order > m->order)
		at--;
	memmove(&all->m[at + 1], &all->m[at], (all->n - at) * sizeof *all->m);
	all->m[at] = m;
	all->n++;
	return 0;
}

void elc_messages_remove(struct elc_messages *all, size_t at)
{
	all->n--;
	memmove(&all->m[at], &all->m[at + 1], (all->n - at) * sizeof *all->m);
}

static int by_key(const void *a, const void *b)
{
	const elc_key x = ((const struct elc_catch_entry *)a)->key,
		      y = ((const struct elc_catch_entry *)b)->key;

	return (x > y) - (x < y);
}

static elc_key of_comm(uint32_t comm)
{
	return elc_key_of(comm, 0);
}

/* In a list, an envelope may have several entries, in any order: here they become one. */
static size_t joined(struct elc_catch_entry *entry, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept && entry[kept - 1].key == entry[i].key)
			entry[kept - 1].wanted += entry[i].wanted;
		else
			entry[kept++] = entry[i];
	return kept;
}

int elc_catch_begin(struct elc_catch *c, const struct elc_set *transit)
{
	elc_catch_free(c);
	if (transit->n == 0)
		return 0;
	c->entry = calloc(transit->n, sizeof *c->entry);
	if (!c->entry)
		return -1;
	for (size_t i = 0; i < transit->n; i++) {
		c->entry[i].key = transit->entry[i].key;
		c->entry[i].wanted = transit->entry[i].num;
	}
	if (transit->form == ELC_LIST)
		qsort(c->entry, transit->n, sizeof *c->entry, by_key);
	c->n = joined(c->entry, transit->n);
	for (size_t i = 0; i < c->n; i++) {
		c->entry[i].missing = c->entry[i].wanted;
		c->missing += c->entry[i].wanted;
		if (elc_set_add(&c->comm, of_comm(elc_key_comm(c->entry[i].key)),
				c->entry[i].wanted))
			return -1;
	}
	return 0;
}

void elc_catch_free(struct elc_catch *c)
{
	free(c->entry);
	elc_set_free(&c->comm);
	*c = (struct elc_catch){ .comm = { .form = ELC_COUNTED } };
}

static struct elc_catch_entry *find(const struct elc_catch *c, elc_key key)
{
	const struct elc_catch_entry wanted = { .key = key };

	return c->n ? bsearch(&wanted, c->entry, c->n, sizeof wanted, by_key) : NULL;
}

void elc_catch_add(struct elc_catch *c, const struct elc_message *m)
{
	struct elc_catch_entry *e = find(c, m->kind);

	c->mix += mix(m->key);
	if (!e)
		return;
	c->chosen = false;
	if (m->order > c->newest)
		c->newest = m->order;
	if (e->missing == 0)
		return;
	e->missing--;
	c->missing--;
	/* the key is there, so no memory is needed */
	elc_set_add(&c->comm, of_comm(elc_key_comm(m->key)), -1);
}

bool elc_catch_missing(const struct elc_catch *c, uint32_t comm)
{
	return c->missing > 0 && elc_set_count(&c->comm, of_comm(comm)) > 0;
}

void elc_catch_forget(struct elc_catch *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->entry[i].picked = 0;
	c->chosen = true;
}

void elc_catch_choose(struct elc_catch *c, struct elc_message *m)
{
	struct elc_catch_entry *e = find(c, m->kind);

	m->chosen = e && e->picked < e->wanted;
	if (!m->chosen)
		return;
	e->picked++;
	e->last = m->order;
}

bool elc_catch_undisturbed(const struct elc_catch *c, int peer, const struct elc_pending *pending,
			   size_t npending)
{
	for (size_t r = 0; r < npending; r++)
		if (pending[r].order < c->newest &&
		    (pending[r].peer == ELC_ANY || pending[r].peer == peer) &&
		    (pending[r].tag == ELC_ANY ||
		     find(c, elc_key_of(pending[r].comm, pending[r].tag)) ||
		     find(c, elc_number_key(elc_key_of(pending[r].comm, 0)))))
			return false;
	return true;
}

static bool may_match(const struct elc_pending *r, int peer, elc_key key)
{
	return (r->peer == ELC_ANY || r->peer == peer) && r->comm == elc_key_comm(key) &&
	       (r->tag == ELC_ANY || elc_is_number(key) || r->tag == elc_key_tag(key));
}

bool elc_catch_final(const struct elc_catch *c, int peer, const struct elc_pending *pending,
		     size_t npending)
{
	for (size_t r = 0; r < npending; r++)
		for (size_t i = 0; i < c->n; i++)
			if (pending[r].order < c->entry[i].last &&
			    may_match(&pending[r], peer, c->entry[i].key))
				return false;
	return true;
}

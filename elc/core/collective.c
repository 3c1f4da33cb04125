/* Counts of collective functions, and the results that belong to a line. */
#include "elc/core/collective.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

struct elc_collectives *elc_process_communicator(struct elc_process *p, uint32_t comm,
						 const int *world, int size)
{
	struct elc_collectives *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	*c = (struct elc_collectives){ .comm = comm, .size = size, .last = -1 };
	c->world = malloc((size_t)size * sizeof *c->world);
	c->cut_of = calloc((size_t)size, sizeof *c->cut_of);
	if (!c->world || !c->cut_of) {
		free(c->world);
		free(c->cut_of);
		free(c);
		return NULL;
	}
	memcpy(c->world, world, (size_t)size * sizeof *world);
	c->next = p->collectives;
	p->collectives = c;
	return c;
}

/* Keep the results from the number `from` on, and below `to`. */
static void keep(struct elc_collectives *c, int64_t from, int64_t to)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		const int64_t number = c->first + (int64_t)i;

		if (number >= from && number < to)
			c->result[kept++] = c->result[i];
		else
			free(c->result[i].data);
	}
	c->first = from > c->first ? from : c->first;
	c->n = kept;
}

void elc_collectives_free(struct elc_process *p)
{
	while (p->collectives) {
		struct elc_collectives *c = p->collectives;

		p->collectives = c->next;
		keep(c, 0, 0);
		free(c->result);
		free(c->world);
		free(c->cut_of);
		free(c);
	}
}

/* With the requests of all members, it is known which results belong to the line. The own count
 * does not matter: what is below it is in the state of this process. */
static bool known(const struct elc_process *p, struct elc_collectives *c)
{
	int64_t last = 0;

	if (c->last >= 0)
		return true;
	for (int i = 0; i < c->size; i++) {
		if (!elc_line_has_request(&p->line, c->world[i]))
			return false;
		last = c->cut_of[i] > last ? c->cut_of[i] : last;
	}
	c->last = last;
	keep(c, c->first, last);
	return true;
}

/* May the result of the next function belong to the line in progress? */
static bool in_window(const struct elc_process *p, struct elc_collectives *c)
{
	return p->line.phase == ELC_CUT && (!known(p, c) || c->count < c->last);
}

const struct elc_result *elc_collective_next(const struct elc_collectives *c)
{
	return c->count < c->first + (int64_t)c->n ? &c->result[c->count - c->first] : NULL;
}

bool elc_collective_compares(struct elc_process *p, struct elc_collectives *c)
{
	return elc_collective_next(c) || in_window(p, c);
}

int elc_collective_begin(struct elc_process *p, struct elc_collectives *c,
			 const struct elc_part *part, int64_t *number)
{
	const struct elc_result *next = elc_collective_next(c);

	*number = -1;
	if (next)
		return memcmp(part, &next->part, sizeof *part) ? ELC_OTHER : ELC_SERVE;
	if (in_window(p, c)) {
		struct elc_result *fresh = grow(c->result, c->n + 1, &c->room, sizeof *fresh);

		if (!fresh)
			return -1;
		c->result = fresh;
		if (c->n == 0)
			c->first = c->count;
		c->result[c->n++] = (struct elc_result){ .part = *part };
		*number = c->count;
	}
	elc_collective_count(p, c);
	return ELC_CALL;
}

void elc_collective_end(struct elc_collectives *c, int64_t number, void *data)
{
	struct elc_result *r = number >= c->first && number < c->first + (int64_t)c->n
				       ? &c->result[number - c->first]
				       : NULL;

	if (!r || r->here) {
		free(data);
		return;
	}
	r->data = data;
	r->here = true;
}

void elc_collective_taken(struct elc_process *p, struct elc_collectives *c)
{
	struct elc_result *r = &c->result[c->count - c->first];

	p->served++;
	elc_collective_count(p, c);
	if (p->line.phase == ELC_CUT)
		return;
	free(r->data);
	r->data = NULL;
	if (!elc_collective_next(c))
		keep(c, c->count, c->count);
}

static bool is_member(const struct elc_collectives *c, int rank)
{
	for (int i = 0; i < c->size; i++)
		if (c->world[i] == rank)
			return true;
	return false;
}

/* The count of this member was heard. */
static void heard(struct elc_process *p, int from, uint32_t comm, int64_t count)
{
	for (struct elc_collectives *c = p->collectives; c; c = c->next)
		for (int i = 0; c->comm == comm && i < c->size; i++)
			if (c->world[i] == from)
				c->cut_of[i] = count;
}

/* What was not served yet goes into this line, too. */
int elc_collectives_cut(struct elc_process *p)
{
	int rc = 0;

	for (struct elc_collectives *c = p->collectives; c; c = c->next) {
		keep(c, c->count, INT64_MAX);
		c->cut = c->count;
		c->last = -1;
		for (int r = 0; rc == 0 && r < p->line.np; r++)
			if (r != p->line.rank && is_member(c, r))
				rc = elc_set_add(&p->with[r].cut_sent, elc_collectives_key(c->comm),
						 c->count);
	}
	return rc;
}

void elc_collectives_request(struct elc_process *p, int from, struct elc_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (elc_is_collectives(set->entry[i].key))
			heard(p, from, elc_key_comm(set->entry[i].key), set->entry[i].num);
		else
			set->entry[kept++] = set->entry[i];
	}
	set->n = kept;
}

bool elc_collectives_ready(struct elc_process *p)
{
	for (struct elc_collectives *c = p->collectives; c; c = c->next) {
		if (!known(p, c) || (int64_t)c->n < c->last - c->cut)
			return false;
		for (size_t i = 0; i < c->n; i++)
			if (!c->result[i].here)
				return false;
	}
	return true;
}

void elc_collectives_completed(struct elc_process *p)
{
	for (struct elc_collectives *c = p->collectives; c; c = c->next)
		keep(c, c->count, INT64_MAX);
}

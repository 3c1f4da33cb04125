/* The part of a line that one process writes beside the program's state, as bytes. */
#include "elc/core/process.h"

#include "base/grow.h"
#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
	char *data;
	size_t n, room;
	bool failed;
};

static void put(struct bytes *b, const void *data, size_t n)
{
	char *fresh = grow(b->data, b->n + n, &b->room, 1);

	b->failed = b->failed || !fresh;
	if (!fresh)
		return;
	b->data = fresh;
	if (n)
		memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void put_number(struct bytes *b, uint64_t number)
{
	put(b, &number, sizeof number);
}

static void put_messages(struct bytes *b, const struct elc_process *p)
{
	uint64_t chosen = 0;

	for (size_t i = 0; i < p->caught.n; i++)
		chosen += p->caught.m[i]->chosen;
	put_number(b, chosen);
	for (size_t i = 0; i < p->caught.n; i++) {
		const struct elc_message *m = p->caught.m[i];

		if (!m->chosen)
			continue;
		put_number(b, (uint64_t)m->peer);
		put_number(b, m->key);
		put_number(b, (uint64_t)m->lines + 1);
		put_number(b, m->bytes);
		put(b, m->data, m->bytes);
	}
}

static void put_set(struct bytes *b, const struct elc_set *set)
{
	put_number(b, set->n);
	for (size_t i = 0; i < set->n; i++) {
		put_number(b, set->entry[i].key);
		put_number(b, (uint64_t)set->entry[i].num);
	}
}

static void put_sums(struct bytes *b, const struct elc_sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->sum[i].done) {
			put_number(b, s->sum[i].key);
			put_number(b, s->sum[i].bytes);
			put_number(b, s->sum[i].crc);
		}
}

/* What is still expected from an earlier restart is sent after all that was sent since the cut. */
static void put_repeated(struct bytes *b, const struct elc_channel *c)
{
	put_number(b, c->window.left + c->expected.left);
	put_sums(b, &c->window);
	put_sums(b, &c->expected);
}

/* The count at the cut, and what was got of other members' functions behind it. */
static void put_results(struct bytes *b, const struct elc_process *p)
{
	uint64_t n = 0;

	for (const struct elc_collectives *c = p->collectives; c; c = c->next)
		n++;
	put_number(b, n);
	for (const struct elc_collectives *c = p->collectives; c; c = c->next) {
		put_number(b, c->comm);
		put_number(b, (uint64_t)c->cut);
		put_number(b, c->n);
		for (size_t i = 0; i < c->n; i++) {
			put(b, &c->result[i].part, sizeof c->result[i].part);
			put(b, c->result[i].data, c->result[i].part.got);
		}
	}
}

void *elc_process_pack(struct elc_process *p, size_t *bytes)
{
	struct bytes b = { NULL, 0, 0, false };

	elc_process_choose(p, ELC_ANY);
	put_messages(&b, p);
	for (int r = 0; r < p->line.np; r++) {
		put_set(&b, &p->with[r].orphan);
		put_repeated(&b, &p->with[r]);
	}
	put_results(&b, p);
	if (b.failed) {
		free(b.data);
		return NULL;
	}
	*bytes = b.n;
	return b.data;
}

struct reader {
	const char *data;
	size_t left;
	bool short_of; /* there was less than was asked for */
};

static const void *get(struct reader *r, uint64_t n)
{
	const void *at = r->data;

	if (r->short_of || n > r->left) {
		r->short_of = true;
		return NULL;
	}
	r->data += n;
	r->left -= n;
	return at;
}

static uint64_t get_number(struct reader *r)
{
	const void *at = get(r, sizeof(uint64_t));
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, sizeof number);
	return number;
}

/* In a list, every event has an entry of its own. */
static int add(struct elc_set *set, elc_key key, int64_t num)
{
	int rc = 0;

	if (set->form == ELC_COUNTED)
		return elc_set_add(set, key, num);
	for (int64_t i = 0; rc == 0 && i < num; i++)
		rc = elc_set_add(set, key, 1);
	return rc;
}

static int get_message(struct elc_process *p, struct reader *r)
{
	const uint64_t peer = get_number(r), key = get_number(r), lines = get_number(r),
		       bytes = get_number(r);
	const void *from = get(r, bytes);
	void *data;

	if (r->short_of || peer >= (uint64_t)p->line.np || lines > INT64_MAX)
		return -2;
	data = malloc(bytes ? bytes : 1);
	if (!data)
		return -1;
	memcpy(data, from, bytes);
	p->with[peer].transit_mix += p->protocol->envelopes ? 0 : mix(key);
	if (elc_process_take(p, (int)peer, key, elc_process_stamp(p), data, bytes))
		return -1;
	p->held.m[p->held.n - 1]->lines = (int64_t)lines;
	return add(&p->with[peer].transit, p->held.m[p->held.n - 1]->kind, 1);
}

static int get_channel(struct elc_channel *c, struct reader *r)
{
	int rc = 0;

	for (uint64_t n = get_number(r); rc == 0 && !r->short_of && n > 0; n--) {
		const uint64_t key = get_number(r), num = get_number(r);

		rc = r->short_of || num > INT64_MAX ? -2 : add(&c->orphan, key, (int64_t)num);
	}
	for (uint64_t n = get_number(r); rc == 0 && !r->short_of && n > 0; n--) {
		const uint64_t key = get_number(r), bytes = get_number(r), crc = get_number(r);

		rc = r->short_of ? -2
				 : elc_sums_add(&c->window,
						(struct elc_sum){ key, (uint32_t)crc, 0, bytes });
	}
	return r->short_of ? -2 : rc;
}

static int get_result(struct elc_collectives *c, struct reader *r)
{
	const void *part = get(r, sizeof(struct elc_part)), *from;
	struct elc_result *fresh = grow(c->result, c->n + 1, &c->room, sizeof *fresh),
			  got = { .here = true };

	if (!part || !fresh)
		return part ? -1 : -2;
	c->result = fresh;
	memcpy(&got.part, part, sizeof got.part);
	from = get(r, got.part.got);
	got.data = from ? malloc(got.part.got + 1) : NULL;
	if (!got.data)
		return from ? -1 : -2;
	memcpy(got.data, from, got.part.got);
	c->result[c->n++] = got;
	return 0;
}

/* The communicators are those of this process, in any order. */
static int get_results(struct elc_process *p, struct reader *r)
{
	const uint64_t comms = get_number(r);
	uint64_t own = 0;
	int rc = 0;

	for (const struct elc_collectives *c = p->collectives; c; c = c->next)
		own++;
	for (uint64_t i = 0; rc == 0 && comms == own && i < comms; i++) {
		const uint64_t comm = get_number(r);
		struct elc_collectives *c = p->collectives;

		while (c && c->comm != comm)
			c = c->next;
		if (!c)
			return -2;
		c->count = c->cut = c->first = (int64_t)get_number(r);
		for (uint64_t n = get_number(r); rc == 0 && !r->short_of && n > 0; n--)
			rc = get_result(c, r);
	}
	return comms == own ? rc : -2;
}

int elc_process_unpack(struct elc_process *p, const void *data, size_t bytes)
{
	struct reader r = { data, bytes, false };
	int rc = 0;

	for (uint64_t n = get_number(&r); rc == 0 && !r.short_of && n > 0; n--)
		rc = get_message(p, &r);
	for (int peer = 0; rc == 0 && peer < p->line.np; peer++)
		rc = get_channel(&p->with[peer], &r);
	if (rc == 0)
		rc = get_results(p, &r);
	return rc == 0 && (r.short_of || r.left) ? -2 : rc;
}

#include "ft/line/fetch.h"

#include <inttypes.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a role is to get its image from next. */
struct source {
	enum level_source level; /* FROM_FILE: not from memory */
	int holder;              /* FROM_BUDDY */
};

static bool lacks(const struct inventory *m, int role)
{
	return m->of[role].needs && m->line[role] > 0 && !inventory_has_own(m, role);
}

static struct source next_source(const struct restoration *x, int role)
{
	const struct inventory *m = &x->inventory;
	struct rs_group g = { .size = 0 };
	int holder = inventory_holder(m, role, m->of[role].copies_tried);

	if (holder >= 0)
		return (struct source){ FROM_BUDDY, holder };
	if (x->images->levels.k > 0 && !m->of[role].rs_tried) {
		rs_group_of(&g, m->np, role, x->images->levels.k, x->images->levels.m);
		if (inventory_decodable(m, &g, g.me))
			return (struct source){ FROM_RS, -1 };
	}
	return (struct source){ FROM_FILE, -1 };
}

void fetch_note(struct restoration *x, const char *why)
{
	size_t used = strlen(x->refusal_log);

	snprintf(x->refusal_log + used, sizeof x->refusal_log - used, "%s%s", used ? "; " : "",
		 why);
}

void fetch_refuse(struct restoration *x, const struct rb_error *why)
{
	fetch_note(x, why->text);
	x->refusals++;
	role_note_refusal(x->r, why);
}

static bool needs_image(const struct restoration *x)
{
	return !x->r->restored || x->duplicate;
}

static int exchange(struct restoration *x)
{
	struct role *r = x->r;
	struct holding mine;

	inventory_describe(x->images, r->cfg->here, &mine);
	mine.needs = needs_image(x);
	mine.copies_tried = x->copies_tried;
	mine.rs_tried = x->rs_tried;
	x->inventory.of[r->id] = mine;
	RB_TRY(dissemination_begin(&r->rounds, x->inventory.of, sizeof mine));
	return dissemination_wait(&r->rounds, NULL, NULL);
}

/* An image has just arrived in the own slot: accept it if its check succeeds. */
static void accept(struct restoration *x, enum level_source level, int holder)
{
	struct role *r = x->r;
	struct stored *own = images_own(x->images, r->line);
	struct image_id id = image_identify(r->cfg, r->id, r->line);
	struct rb_error err;
	char name[96];

	snprintf(name, sizeof name, "role %d, iteration %" PRId64 ": image from %s", r->id, r->line,
		 level_source_name(level));
	if (holder >= 0)
		snprintf(name + strlen(name), sizeof name - strlen(name), " %d", holder);
	if (image_check(&own->image, &id, true, name, &err) != RB_OK) {
		fetch_refuse(x, &err);
		return;
	}
	own->iter = r->line;
	if (r->restored)
		return; /* it is for the duplicate */
	if (level == FROM_OWN && r->source != FROM_NOWHERE)
		return; /* an earlier epoch fetched it and ended before loading it */
	r->source = level;
	r->source_role = holder;
}

/* Check the own image before other roles rely on it. */
static void check_own(struct restoration *x)
{
	struct role *r = x->r;
	struct stored *own = images_own(x->images, r->line);

	if (!needs_image(x) || own->iter != r->line)
		return;
	own->iter = -1;
	accept(x, FROM_OWN, -1);
}

static int fetch_copy(struct restoration *x, int role, int holder)
{
	struct image_store *k = x->images;
	struct stored *own = images_own(k, x->inventory.line[k->role]);
	struct incoming p = { .src = holder, .tag = TAG_FETCH, .into = &own->image };

	if (k->role == role) {
		own->iter = -1;
		return transfer_expect(&x->transfer, &p);
	}
	if (k->role == holder) {
		int b = inventory_copy_of(&x->inventory, holder, role);
		const struct image *copy =
			&k->copy[b][images_slot(k, x->inventory.line[role])].image;

		return transfer_send(&x->transfer, role, TAG_FETCH, copy, 0, copy->bytes);
	}
	return RB_OK;
}

/* Send this role's block of a stripe to member `lost`, if `place` names it. */
static int send_block(struct restoration *x, int lost, int stripe, const int *place)
{
	struct image_store *k = x->images;
	const struct rs_group *g = &k->group;
	int slot = images_slot(k, x->inventory.line[k->role]), mine = rs_place(g, stripe, g->me);
	const struct image *from =
		mine < g->k ? &k->own[slot].image : &k->parity[slot].chunk[mine - g->k];
	size_t begin = 0, bytes = from->bytes;

	for (int i = 0; i < g->k; i++) {
		if (place[i] != mine)
			continue;
		if (mine < g->k)
			images_chunk(from, g->k, mine, &begin, &bytes);
		return transfer_send(&x->transfer, g->role[lost], TAG_BLOCK + stripe, from, begin,
				     bytes);
	}
	return RB_OK;
}

/* The chunk's length according to the parity blocks, which have no checksum. -1: they are
 * damaged. */
static int64_t chunk_length(const struct rs_group *g, int chunk, const int *place,
			    const struct image *block)
{
	int64_t length = -1;

	for (int i = 0; i < g->k; i++) {
		const struct parity_head *head = (const void *)block[i].data;

		if (place[i] < g->k)
			continue;
		if (block[i].bytes < sizeof *head || head->length[chunk] < 0 ||
		    (uint64_t)head->length[chunk] > block[i].bytes - sizeof *head ||
		    (length >= 0 && length != head->length[chunk]))
			return -1;
		length = head->length[chunk];
	}
	return length;
}

/* Compute one chunk and append it to the own image. block: k, at least one of them parity. RB_OK,
 * RB_ENOMEM or RB_ECORRUPT. */
static int recover_chunk(struct image_store *k, struct image *own, int chunk, const int *place,
			 struct image *block)
{
	int64_t length = chunk_length(&k->group, chunk, place, block);
	size_t at = own->bytes, bytes = length > 0 ? (size_t)length : 0;
	void *data[RS_GROUP_MAX];

	if (length < 0)
		return RB_ECORRUPT;
	for (int i = 0; i < k->group.k; i++) {
		bool parity = place[i] >= k->group.k;

		if (block[i].bytes < bytes)
			RB_TRY(image_grow(&block[i], bytes));
		data[i] = block[i].data + (parity ? sizeof(struct parity_head) : 0);
	}
	RB_TRY(image_grow(own, at + bytes));
	if (bytes > 0)
		rs_recover(&k->group, chunk, place, data, bytes, own->data + at);
	return RB_OK;
}

static int expect_blocks(struct transfer *c, const struct rs_group *g, int stripe, const int *place,
			 struct image *block)
{
	for (int i = 0; i < g->k; i++) {
		struct incoming p = { .src = g->role[rs_member(g, stripe, place[i])],
				      .tag = TAG_BLOCK + stripe,
				      .into = &block[i] };

		RB_TRY(transfer_expect(c, &p));
	}
	return RB_OK;
}

/* Decode one chunk at a time, so that at most k blocks are in memory. If the parity is damaged, the
 * rest is still received. */
static int decode_chunks(struct restoration *x, struct transfer *c, struct image *block)
{
	struct image_store *k = x->images;
	const struct rs_group *g = &k->group;
	struct image *own = &images_own(k, x->inventory.line[k->role])->image;
	int place[RS_GROUP_MAX];
	bool whole = true;

	for (int chunk = 0; chunk < g->k; chunk++) {
		int stripe = rs_stripe(g, g->me, chunk), rc = RB_OK;

		inventory_places(&x->inventory, g, stripe, chunk, place);
		RB_TRY(expect_blocks(c, g, stripe, place, block));
		RB_TRY(transfer_wait(c));
		if (whole)
			rc = recover_chunk(k, own, chunk, place, block);
		if (rc == RB_ENOMEM)
			return link_no_memory(&x->r->link);
		whole = whole && rc == RB_OK;
	}
	if (!whole)
		own->bytes = 0; /* no image: it will be refused */
	return RB_OK;
}

/* Compute this role's image with a transfer of its own: the sends in x->transfer may end only when
 * others do the same. */
static int decode(struct restoration *x)
{
	struct role *r = x->r;
	int n = x->images->group.k, rc;
	struct image *block = calloc((size_t)n, sizeof *block);
	struct transfer transfer;

	if (!block)
		return link_no_memory(&r->link);
	transfer_init(&transfer, &r->link);
	images_own(x->images, r->line)->iter = -1;
	images_own(x->images, r->line)->image.bytes = 0;
	rc = decode_chunks(x, &transfer, block);
	if (rc != RB_OK) { /* no receive may write into memory that is freed below */
		MPIX_Comm_revoke(r->link.comm);
		transfer_abort(&transfer);
	}
	transfer_free(&transfer);
	for (int i = 0; i < n; i++)
		image_free(&block[i]);
	free(block);
	return rc;
}

/* Send this role's blocks of the image of member `lost`. */
static int send_blocks(struct restoration *x, int lost)
{
	const struct rs_group *g = &x->images->group;
	int place[RS_GROUP_MAX];

	for (int chunk = 0; chunk < g->k; chunk++) {
		int stripe = rs_stripe(g, lost, chunk);

		inventory_places(&x->inventory, g, stripe, chunk, place);
		RB_TRY(send_block(x, lost, stripe, place));
	}
	return RB_OK;
}

static int place_in_group(const struct rs_group *g, int role)
{
	for (int i = 0; i < g->size; i++)
		if (g->role[i] == role)
			return i;
	return -1;
}

/* All sends are posted before this role waits for its own image. *more: some role tries a
 * source. */
static int try_sources(struct restoration *x, bool *more)
{
	struct role *r = x->r;
	struct source mine = { FROM_NOWHERE, -1 };

	*more = false;
	for (int d = 0; d < x->inventory.np; d++) {
		struct source s;
		int place;

		if (!lacks(&x->inventory, d))
			continue;
		s = next_source(x, d);
		*more = *more || s.level != FROM_FILE;
		if (d == r->id)
			mine = s;
		if (s.level == FROM_BUDDY)
			RB_TRY(fetch_copy(x, d, s.holder));
		place = place_in_group(&x->images->group, d);
		if (s.level == FROM_RS && d != r->id && place >= 0)
			RB_TRY(send_blocks(x, place));
	}
	if (mine.level == FROM_RS)
		RB_TRY(decode(x));
	RB_TRY(transfer_wait(&x->transfer));
	x->copies_tried += mine.level == FROM_BUDDY;
	x->rs_tried += mine.level == FROM_RS;
	if (mine.level == FROM_RS || mine.level == FROM_BUDDY)
		accept(x, mine.level, mine.holder);
	return RB_OK;
}

/* Is there a role whose state is more than the initial one? */
static bool any_saved(const struct inventory *m)
{
	for (int r = 0; r < m->np; r++)
		if (m->line[r] > 0)
			return true;
	return false;
}

int fetch(struct restoration *x)
{
	struct role *r = x->r;
	bool more = any_saved(&x->inventory);

	check_own(x);
	RB_TRY(exchange(x));
	if (inventory_choose_partners(&x->inventory, x->images) != RB_OK)
		return link_no_memory(&r->link);
	while (more) {
		RB_TRY(try_sources(x, &more));
		if (more)
			RB_TRY(exchange(x));
	}
	return RB_OK;
}

#include "ft/line/image_store.h"

#include <stdlib.h>
#include <string.h>

void images_init(struct image_store *k, const struct levels *levels, int role, int np,
		 int64_t interval)
{
	memset(k, 0, sizeof *k);
	k->levels = *levels;
	k->role = role;
	k->np = np;
	k->interval = interval;
	if (levels->k > 0)
		rs_group_of(&k->group, np, role, levels->k, levels->m);
	for (int g = 0; g < IMAGE_GENERATIONS; g++) {
		k->own[g].iter = k->parity[g].iter = -1;
		k->own[g].role = role;
		for (int b = 0; b < BUDDIES_MAX; b++)
			k->copy[b][g].iter = k->copy[b][g].role = -1;
	}
}

/* Image number n of all images; NULL after the last. */
static struct image *each(struct image_store *k, int n)
{
	int g = n % IMAGE_GENERATIONS, i = n / IMAGE_GENERATIONS;

	if (i == 0)
		return &k->own[g].image;
	if (i <= BUDDIES_MAX)
		return &k->copy[i - 1][g].image;
	i -= 1 + BUDDIES_MAX;
	if (i < RS_PARITY_MAX)
		return &k->parity[g].chunk[i];
	return i == RS_PARITY_MAX && g == 0 ? &k->arriving : NULL;
}

void images_free(struct image_store *k)
{
	struct image *image;

	for (int n = 0; (image = each(k, n)); n++)
		image_free(image);
	free(k->near);
}

int images_owner(const struct image_store *k, int b)
{
	int owner = 0;

	if (!k->near)
		return (k->role + k->np - k->stride[b]) % k->np;
	while (k->near[owner] != k->role)
		owner++;
	return owner;
}

size_t images_memory(const struct image_store *k)
{
	const struct image *image;
	size_t bytes = 0;

	for (int n = 0; (image = each((struct image_store *)(uintptr_t)k, n)); n++)
		bytes += image->room;
	return bytes;
}

void images_chunk(const struct image *i, int k, int place, size_t *from, size_t *bytes)
{
	size_t lines = image_lines(i->bytes), each_one = (lines + (size_t)k - 1) / (size_t)k;
	size_t begin = each_one * (size_t)place;

	begin = begin < lines ? begin : lines;
	*from = begin * IMAGE_LINE;
	*bytes = (lines - begin < each_one ? lines - begin : each_one) * IMAGE_LINE;
}

int images_send_copy(struct image_store *k, struct transfer *c, int64_t iter, int b)
{
	const struct image *own = &images_own(k, iter)->image;

	return transfer_send(c, images_partner(k, k->role, b), TAG_COPY + b, own, 0, own->bytes);
}

int images_expect_copy(struct image_store *k, struct transfer *c, int64_t iter, int b)
{
	struct stored *held = &k->copy[b][images_slot(k, iter)];
	struct incoming p = { .src = images_owner(k, b),
			      .tag = TAG_COPY + b,
			      .into = &held->image,
			      .stamp = &held->iter,
			      .value = iter };

	held->iter = -1;
	held->role = p.src;
	return transfer_expect(c, &p);
}

/* A chunk has come for the parity that this role holds in stripe p->note. */
static int add_chunk(void *ctx, const struct incoming *p)
{
	struct image_store *k = ctx;
	struct parity *parity = &k->parity[images_slot(k, p->value)];
	const struct rs_group *g = &k->group;
	int stripe = p->note, j = rs_place(g, stripe, g->me) - g->k, place = 0;
	struct image *chunk = &parity->chunk[j];
	size_t bytes = p->into->bytes, needed = sizeof(struct parity_head) + bytes;

	while (g->role[rs_member(g, stripe, place)] != p->src)
		place++;
	if (needed > chunk->bytes && image_grow(chunk, needed) != RB_OK)
		return RB_ENOMEM;
	((struct parity_head *)(void *)chunk->data)->length[place] = (int64_t)bytes;
	rs_add(g, j, place, p->into->data, bytes, chunk->data + sizeof(struct parity_head));
	if (--parity->missing == 0)
		parity->iter = p->value;
	return RB_OK;
}

/* Clear the parity, with room for what the own image needs. */
static int clear_parity(struct image_store *k, int64_t iter)
{
	struct parity *parity = &k->parity[images_slot(k, iter)];
	size_t from, bytes;

	images_chunk(&images_own(k, iter)->image, k->group.k, 0, &from, &bytes);
	bytes += sizeof(struct parity_head);
	parity->iter = -1;
	parity->missing = k->group.k * k->group.m;
	for (int j = 0; j < k->group.m; j++) {
		RB_TRY(image_room(&parity->chunk[j], bytes));
		memset(parity->chunk[j].data, 0, parity->chunk[j].room);
	}
	return RB_OK;
}

/* Send a chunk of the own image to each holder of its parity. */
static int send_chunk(struct image_store *k, struct transfer *c, int64_t iter, int place,
		      const bool *lacks)
{
	const struct rs_group *g = &k->group;
	const struct image *own = &images_own(k, iter)->image;
	int stripe = rs_stripe(g, g->me, place);
	size_t from, bytes;

	images_chunk(own, g->k, place, &from, &bytes);
	for (int j = 0; j < g->m; j++) {
		int member = rs_member(g, stripe, g->k + j);

		if (!lacks || lacks[member])
			RB_TRY(transfer_send(c, g->role[member], TAG_CHUNK + stripe, own, from,
					     bytes));
	}
	return RB_OK;
}

static int expect_chunks(struct image_store *k, struct transfer *c, int64_t iter)
{
	const struct rs_group *g = &k->group;

	if (clear_parity(k, iter) != RB_OK)
		return link_no_memory(c->link);
	for (int j = 0; j < g->m; j++) {
		int stripe = rs_stripe(g, g->me, g->k + j);

		for (int place = 0; place < g->k; place++) {
			struct incoming p = { .src = g->role[rs_member(g, stripe, place)],
					      .tag = TAG_CHUNK + stripe,
					      .into = &k->arriving,
					      .value = iter,
					      .arrived = add_chunk,
					      .ctx = k,
					      .note = stripe };

			RB_TRY(transfer_expect(c, &p));
		}
	}
	return RB_OK;
}

int images_exchange_parity(struct image_store *k, struct transfer *c, int64_t iter,
			   const bool *lacks)
{
	if (!lacks || lacks[k->group.me])
		RB_TRY(expect_chunks(k, c, iter));
	for (int place = 0; place < k->group.k; place++)
		RB_TRY(send_chunk(k, c, iter, place, lacks));
	return RB_OK;
}

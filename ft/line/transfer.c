#include "ft/line/transfer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* MPI counts are int, so all data are sent in lines. */
static MPI_Datatype line_type(void)
{
	static MPI_Datatype line = MPI_DATATYPE_NULL;

	if (line == MPI_DATATYPE_NULL) {
		MPI_Type_contiguous(IMAGE_LINE, MPI_BYTE, &line);
		MPI_Type_commit(&line);
	}
	return line;
}

void transfer_init(struct transfer *c, struct link *link)
{
	memset(c, 0, sizeof *c);
	c->link = link;
}

void transfer_free(struct transfer *c)
{
	requests_free(&c->sends);
	for (int i = 0; i < c->capacity; i++)
		free(c->in[i]);
	free(c->in);
	arena_free(&c->lengths);
	memset(c, 0, sizeof *c);
}

int transfer_send(struct transfer *c, int dst, int tag, const struct image *data, size_t from,
		  size_t bytes)
{
	int64_t *lines = arena_take(&c->lengths, sizeof *lines);

	if (!lines)
		return link_no_memory(c->link);
	*lines = (int64_t)image_lines(bytes);
	if (*lines > INT_MAX)
		return link_too_long(c->link, bytes, dst);
	RB_TRY(link_isend(c->link, &c->sends, lines, 1, MPI_INT64_T, dst, tag));
	return link_isend(c->link, &c->sends, data->data + from, (int)*lines, line_type(), dst,
			  tag);
}

/* Entries must not move, since MPI writes into them. */
static struct incoming *incoming_new(struct transfer *c)
{
	if (c->count == c->capacity) {
		struct incoming **grown = realloc(c->in, ((size_t)c->capacity + 1) * sizeof *grown);

		if (!grown)
			return NULL;
		c->in = grown;
		grown[c->capacity] = malloc(sizeof **grown);
		if (!grown[c->capacity])
			return NULL;
		c->capacity++;
	}
	return c->in[c->count++];
}

int transfer_expect(struct transfer *c, const struct incoming *p)
{
	struct incoming *incoming = incoming_new(c);

	if (!incoming)
		return link_no_memory(c->link);
	*incoming = *p;
	incoming->state = INCOMING_EXPECTED;
	incoming->request = MPI_REQUEST_NULL;
	return link_irecv(c->link, &incoming->lines, 1, MPI_INT64_T, p->src, p->tag,
			  &incoming->request);
}

static bool occupied(const struct transfer *c, const struct image *place)
{
	for (int i = 0; i < c->count; i++)
		if (c->in[i]->state == INCOMING_COMING && c->in[i]->into == place)
			return true;
	return false;
}

/* The length is known: receive it once its place is free. */
static int let_in(struct transfer *c, struct incoming *p)
{
	if (occupied(c, p->into))
		return RB_OK;
	if (image_room(p->into, (size_t)p->lines * IMAGE_LINE) != RB_OK)
		return link_no_memory(c->link);
	p->state = INCOMING_COMING;
	return link_irecv(c->link, p->into->data, (int)p->lines, line_type(), p->src, p->tag,
			  &p->request);
}

static int take(struct transfer *c, struct incoming *p)
{
	p->state = INCOMING_HERE;
	if (p->stamp)
		*p->stamp = p->value;
	if (p->arrived && p->arrived(p->ctx, p) != RB_OK)
		return link_no_memory(c->link);
	return RB_OK;
}

static int look_after(struct transfer *c, struct incoming *p)
{
	int flag = 0;

	if (p->state == INCOMING_ANNOUNCED)
		return let_in(c, p);
	if (p->state == INCOMING_HERE)
		return RB_OK;
	RB_TRY(link_check(c->link, MPI_Test(&p->request, &flag, MPI_STATUS_IGNORE)));
	if (!flag)
		return RB_OK;
	if (p->state == INCOMING_COMING)
		return take(c, p);
	p->state = INCOMING_ANNOUNCED;
	return let_in(c, p);
}

/* An image that has arrived frees its place for the next one. *moved: look again. */
static int look_at_all(struct transfer *c, bool *moved)
{
	*moved = false;
	for (int i = 0; i < c->count; i++) {
		int before = (int)c->in[i]->state;

		RB_TRY(look_after(c, c->in[i]));
		*moved = *moved || before != (int)c->in[i]->state;
	}
	return RB_OK;
}

static void forget(struct transfer *c)
{
	c->sends.count = c->count = 0;
	arena_reset(&c->lengths);
}

int transfer_poll(struct transfer *c, bool *done)
{
	*done = false;
	if (c->link->status != RB_OK)
		return c->link->status;
	for (bool moved = true; moved;)
		RB_TRY(look_at_all(c, &moved));
	for (int i = 0; i < c->count; i++)
		if (c->in[i]->state != INCOMING_HERE)
			return RB_OK;
	RB_TRY(link_test(c->link, &c->sends, done));
	if (*done)
		forget(c);
	return RB_OK;
}

bool transfer_busy(const struct transfer *c)
{
	for (int i = 0; i < c->count; i++)
		if (c->in[i]->state == INCOMING_ANNOUNCED || c->in[i]->state == INCOMING_COMING)
			return true;
	return false;
}

int transfer_wait(struct transfer *c)
{
	bool done;

	do {
		RB_TRY(transfer_poll(c, &done));
	} while (!done);
	return RB_OK;
}

void transfer_abort(struct transfer *c)
{
	for (int i = 0; i < c->count; i++)
		if (c->in[i]->request != MPI_REQUEST_NULL)
			MPI_Wait(&c->in[i]->request, MPI_STATUS_IGNORE);
	requests_drain(&c->sends);
	forget(c);
}

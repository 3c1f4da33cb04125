#include "ft/courier.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* MPI counts are int, so everything travels in lines. */
static MPI_Datatype line_type(void)
{
	static MPI_Datatype line = MPI_DATATYPE_NULL;

	if (line == MPI_DATATYPE_NULL) {
		MPI_Type_contiguous(IMAGE_LINE, MPI_BYTE, &line);
		MPI_Type_commit(&line);
	}
	return line;
}

void courier_init(struct courier *c, struct msg *m)
{
	memset(c, 0, sizeof *c);
	c->m = m;
}

void courier_free(struct courier *c)
{
	free(c->sends.list);
	free(c->in);
	memset(c, 0, sizeof *c);
}

int courier_send(struct courier *c, int dst, int tag, const struct image *data, size_t from,
		 size_t bytes)
{
	size_t lines = image_lines(bytes);
	MPI_Request *request;

	if (lines > INT_MAX)
		return msg_check(c->m, MPI_ERR_COUNT);
	request = requests_new(&c->sends);
	if (!request)
		return msg_check(c->m, MPI_ERR_NO_MEM);
	return msg_check(c->m, MPI_Isend(data->data + from, (int)lines, line_type(), dst, tag,
					 c->m->comm, request));
}

int courier_expect(struct courier *c, const struct parcel *p)
{
	if (c->count == c->capacity) {
		int more = c->capacity ? 2 * c->capacity : 16;
		struct parcel *grown = realloc(c->in, (size_t)more * sizeof *grown);

		if (!grown)
			return msg_check(c->m, MPI_ERR_NO_MEM);
		c->in = grown;
		c->capacity = more;
	}
	c->in[c->count] = *p;
	c->in[c->count].state = PARCEL_EXPECTED;
	c->in[c->count++].request = MPI_REQUEST_NULL;
	return RB_OK;
}

static bool occupied(const struct courier *c, const struct image *place)
{
	for (int i = 0; i < c->count; i++)
		if (c->in[i].state == PARCEL_COMING && c->in[i].into == place)
			return true;
	return false;
}

/* Is it there? Then make room and let it in. */
static int look_for(struct courier *c, struct parcel *p)
{
	MPI_Message message;
	MPI_Status status;
	int flag, lines;

	if (occupied(c, p->into))
		return RB_OK;
	RB_TRY(msg_check(c->m, MPI_Improbe(p->src, p->tag, c->m->comm, &flag, &message, &status)));
	if (!flag)
		return RB_OK;
	MPI_Get_count(&status, line_type(), &lines);
	if (image_room(p->into, (size_t)lines * IMAGE_LINE) != RB_OK)
		return msg_check(c->m, MPI_ERR_NO_MEM);
	p->state = PARCEL_COMING;
	return msg_check(c->m, MPI_Imrecv(p->into->data, lines, line_type(), &message, &p->request));
}

static int look_after(struct courier *c, struct parcel *p)
{
	int flag = 0;

	if (p->state == PARCEL_EXPECTED)
		RB_TRY(look_for(c, p));
	if (p->state != PARCEL_COMING)
		return RB_OK;
	RB_TRY(msg_check(c->m, MPI_Test(&p->request, &flag, MPI_STATUS_IGNORE)));
	if (!flag)
		return RB_OK;
	p->state = PARCEL_HERE;
	if (p->stamp)
		*p->stamp = p->value;
	return p->arrived ? p->arrived(p->ctx, p) : RB_OK;
}

int courier_poll(struct courier *c, bool *done)
{
	int flag = 1;

	*done = false;
	if (c->m->failed)
		return RB_LOST;
	for (int i = 0; i < c->count; i++)
		RB_TRY(look_after(c, &c->in[i]));
	for (int i = 0; i < c->count; i++)
		if (c->in[i].state != PARCEL_HERE)
			return RB_OK;
	if (c->sends.count > 0)
		RB_TRY(msg_check(c->m, MPI_Testall(c->sends.count, c->sends.list, &flag,
						   MPI_STATUSES_IGNORE)));
	*done = flag;
	if (*done)
		c->sends.count = c->count = 0;
	return RB_OK;
}

int courier_wait(struct courier *c)
{
	bool done;

	for (int tries = 1;; tries++) {
		RB_TRY(courier_poll(c, &done));
		if (done)
			return RB_OK;
		msg_nap(c->m, tries);
	}
}

void courier_abort(struct courier *c)
{
	for (int i = 0; i < c->count; i++)
		if (c->in[i].state == PARCEL_COMING)
			MPI_Wait(&c->in[i].request, MPI_STATUS_IGNORE);
	c->count = 0;
	requests_drain(&c->sends);
}

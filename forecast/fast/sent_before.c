#include "forecast/fast/sent_before.h"

#include "base/grow.h"
#include "base/status.h"

#include <string.h>

static int add_row(struct sent_before *e, int64_t iter, struct sent_before_row row)
{
	struct sent_before_row *list = grow(e->row, (size_t)e->count + 1, &e->room, sizeof *list);

	if (!list) {
		free(row.sent);
		return RB_ENOMEM;
	}
	if (e->count == 0)
		e->base = iter;
	e->row = list;
	list[e->count++] = row;
	return RB_OK;
}

int sent_before_enter(struct sent_before *e, const struct walk *w, const int64_t *until)
{
	const int64_t iter = w->iter - 1, at = iter - w->since->before.base;
	const struct program *p = w->program;
	struct sent_before_row row = { malloc(((size_t)p->messages + 1) * sizeof *row.sent),
				       p->messages };
	const int64_t *older =
		at >= 0 && at < w->since->before.count ? w->since->before.row[at].sent : NULL;

	if (!row.sent)
		return RB_ENOMEM;
	for (uint32_t i = 0; i < p->messages; i++) {
		const int source = p->message[i].source;
		const int64_t sent = w->sent[p->message[i].segment];

		row.sent[i] = older ? older[i] : NEVER;
		if (w->since->from[source] <= iter && sent <= until[source] &&
		    (row.sent[i] == NEVER || sent < row.sent[i]))
			row.sent[i] = sent;
	}
	return add_row(e, iter, row);
}

int sent_before_append(struct sent_before *e, struct sent_before *old)
{
	const int64_t end = e->base + e->count;
	int rc = RB_OK;

	for (int64_t i = 0; i < old->count; i++)
		if (rc == RB_OK && (e->count == 0 || old->base + i >= end)) {
			rc = add_row(e, old->base + i, old->row[i]);
			old->row[i].sent = NULL;
		}
	sent_before_free(old);
	return rc;
}

void sent_before_drop(struct sent_before *e, int64_t first)
{
	int64_t gone = first - e->base;

	if (e->count == 0 || gone <= 0)
		return;
	gone = gone < e->count ? gone : e->count;
	for (int64_t i = 0; i < gone; i++)
		free(e->row[i].sent);
	e->count -= gone;
	e->base += gone;
	memmove(e->row, e->row + gone, (size_t)e->count * sizeof *e->row);
}

static bool is_empty(const struct sent_before_row *row)
{
	for (uint32_t i = 0; i < row->messages; i++)
		if (row->sent[i] != NEVER)
			return false;
	return true;
}

int sent_before_forget_lost(struct sent_before *e, const struct decision *d,
			    struct programs *programs, struct rb_error *err)
{
	for (int64_t i = 0; i < e->count; i++) {
		const struct program *p;

		RB_TRY(program_of(programs, e->base + i, &p, err));
		for (uint32_t g = 0; g < p->segments; g++)
			for (uint32_t k = p->segment[g].message;
			     d->stopped[p->segment[g].role] && k < p->segment[g + 1].message; k++)
				if (d->stopped[p->message[k].source] &&
				    e->base + i >= d->from[p->message[k].source])
					e->row[i].sent[k] = NEVER;
	}
	while (e->count > 0 && is_empty(&e->row[e->count - 1]))
		free(e->row[--e->count].sent);
	return RB_OK;
}

void sent_before_free(struct sent_before *e)
{
	for (int64_t i = 0; i < e->count; i++)
		free(e->row[i].sent);
	free(e->row);
	*e = (struct sent_before){ .row = NULL };
}

#include "forecast/programs/order.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Segments whose wait comes first can be asked for by those of others only once it is done: sort
 * them by the longest chain of waits before them. */
struct sorting {
	const struct program *p;
	int32_t *left;   /* segments: waits that must be over before */
	uint32_t *first; /* segments + 1: the waits behind each wait */
	uint32_t *behind;
};

/* A wait needs the waits before the sends of its messages and the one before itself. */
static void needs(const struct sorting *s, uint32_t segment,
		  void (*enter)(const struct sorting *, uint32_t, uint32_t))
{
	const struct program *p = s->p;

	if (segment > p->first[p->segment[segment].role])
		enter(s, segment - 1, segment);
	for (uint32_t i = p->segment[segment].message; i < p->segment[segment + 1].message; i++)
		if (p->message[i].segment > p->first[p->message[i].source])
			enter(s, p->message[i].segment - 1, segment);
}

static void count_need(const struct sorting *s, uint32_t needed, uint32_t by)
{
	s->first[needed + 1]++;
	s->left[by]++;
}

static void enter_need(const struct sorting *s, uint32_t needed, uint32_t by)
{
	s->behind[s->first[needed]++] = by;
}

static int sort(struct program *p, struct sorting *s)
{
	uint32_t sorted = 0;

	for (uint32_t g = 0; g < p->segments; g++)
		if (p->segment[g].waits)
			needs(s, g, count_need);
	for (uint32_t g = 0; g < p->segments; g++)
		s->first[g + 1] += s->first[g];
	s->behind = malloc(((size_t)s->first[p->segments] + 1) * sizeof *s->behind);
	if (!s->behind)
		return RB_ENOMEM;
	for (uint32_t g = 0; g < p->segments; g++)
		if (p->segment[g].waits)
			needs(s, g, enter_need);
	memmove(s->first + 1, s->first, (size_t)p->segments * sizeof *s->first);
	s->first[0] = 0;
	for (uint32_t g = 0; g < p->segments; g++)
		if (p->segment[g].waits && s->left[g] == 0)
			p->order[sorted++] = g;
	for (uint32_t i = 0; i < sorted; i++)
		for (uint32_t k = s->first[p->order[i]]; k < s->first[p->order[i] + 1]; k++)
			if (--s->left[s->behind[k]] == 0)
				p->order[sorted++] = s->behind[k];
	return sorted == p->waits ? RB_OK : RB_EINVAL;
}

int order_waits(struct program *p, int np)
{
	struct sorting s = { .p = p,
			     .left = calloc((size_t)p->segments + 1, sizeof *s.left),
			     .first = calloc((size_t)p->segments + 2, sizeof *s.first) };
	int rc = RB_ENOMEM;

	for (uint32_t g = 0; g < p->segments; g++)
		p->waits += p->segment[g].waits;
	p->simple = p->waits == p->segments && p->segments == (uint32_t)np;
	for (uint32_t g = 0; g < p->segments && p->simple; g++)
		p->simple = p->segment[g].role == (int32_t)g;
	p->order = malloc(((size_t)p->waits + 1) * sizeof *p->order);
	if (s.left && s.first && p->order)
		rc = sort(p, &s);
	free(s.left);
	free(s.first);
	free(s.behind);
	return rc;
}

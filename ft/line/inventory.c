#include "ft/line/inventory.h"

#include <stdlib.h>
#include <string.h>

void inventory_describe(const struct image_store *k, int node, struct holding *out)
{
	memset(out, 0, sizeof *out);
	out->node = node;
	for (int g = 0; g < IMAGE_GENERATIONS; g++) {
		out->own[g] = k->own[g].iter;
		out->parity[g] = k->parity[g].iter;
		for (int b = 0; b < BUDDIES_MAX; b++) {
			out->copy[b][g] = k->copy[b][g].iter;
			out->copy_role[b][g] = k->copy[b][g].role;
		}
	}
}

int inventory_choose_partners(const struct inventory *m, struct image_store *k)
{
	int *node = malloc((size_t)m->np * sizeof *node), rc = RB_OK;

	if (k->levels.near && !k->near)
		k->near = malloc((size_t)m->np * sizeof *k->near);
	if (!node || (k->levels.near && !k->near)) {
		free(node);
		return RB_ENOMEM;
	}
	for (int r = 0; r < m->np; r++)
		node[r] = m->of[r].node;
	if (k->near)
		rc = levels_near(m->np, node, k->near);
	else
		levels_strides(&k->levels, m->np, node, k->stride);
	free(node);
	return rc;
}

static bool among(const int64_t *generation, int64_t iter)
{
	for (int g = 0; g < IMAGE_GENERATIONS; g++)
		if (generation[g] == iter)
			return true;
	return false;
}

bool inventory_has_own(const struct inventory *m, int role)
{
	return among(m->of[role].own, m->line[role]);
}

bool inventory_has_parity(const struct inventory *m, int role)
{
	return among(m->of[role].parity, m->line[role]);
}

bool inventory_has_copy(const struct inventory *m, int holder, int role, int b)
{
	const struct holding *h = &m->of[holder];

	for (int g = 0; g < IMAGE_GENERATIONS; g++)
		if (h->copy[b][g] == m->line[role] && h->copy_role[b][g] == role)
			return true;
	return false;
}

int inventory_copy_of(const struct inventory *m, int holder, int role)
{
	for (int b = 0; b < BUDDIES_MAX; b++)
		if (inventory_has_copy(m, holder, role, b))
			return b;
	return -1;
}

int inventory_holder(const struct inventory *m, int role, int nth)
{
	for (int h = 0; h < m->np; h++)
		if (inventory_copy_of(m, h, role) >= 0 && nth-- == 0)
			return h;
	return -1;
}

/* Copies are tried in order, and the last one was right if the role has its image now. */
bool inventory_copy_refused(const struct inventory *m, int holder, int role)
{
	const struct holding *h = &m->of[role];
	int refused = h->copies_tried;

	if (inventory_has_own(m, role) && h->rs_tried == 0)
		refused--;
	for (int nth = 0; nth < refused; nth++)
		if (inventory_holder(m, role, nth) == holder)
			return true;
	return false;
}

bool inventory_parity_refused(const struct inventory *m, int role)
{
	return m->of[role].rs_tried > 0 && !inventory_has_own(m, role);
}

bool inventory_places(const struct inventory *m, const struct rs_group *g, int stripe, int lost,
		      int *place)
{
	int found = 0;

	for (int p = 0; p < g->size && found < g->k; p++) {
		int role = g->role[rs_member(g, stripe, p)];

		if (p != lost &&
		    (p < g->k ? inventory_has_own(m, role) : inventory_has_parity(m, role)))
			place[found++] = p;
	}
	return found == g->k;
}

bool inventory_decodable(const struct inventory *m, const struct rs_group *g, int i)
{
	int place[RS_GROUP_MAX];

	for (int p = 0; p < g->k; p++)
		if (!inventory_places(m, g, rs_stripe(g, i, p), p, place))
			return false;
	return g->k > 0;
}

static void newer(int64_t iter, int64_t below, int64_t *newest)
{
	if (iter < below && iter > *newest)
		*newest = iter;
}

int64_t inventory_older(const struct inventory *m, const struct rs_group *g, int role)
{
	int64_t newest = 0;

	for (int i = 0; i < IMAGE_GENERATIONS; i++) {
		newer(m->of[role].own[i], m->line[role], &newest);
		for (int h = 0; h < m->np; h++)
			for (int b = 0; b < BUDDIES_MAX; b++)
				if (m->of[h].copy_role[b][i] == role)
					newer(m->of[h].copy[b][i], m->line[role], &newest);
		for (int n = 0; n < g->size; n++)
			newer(m->of[g->role[n]].parity[i], m->line[role], &newest);
	}
	return newest;
}

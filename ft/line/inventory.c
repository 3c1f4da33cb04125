#include "ft/line/inventory.h"

#include <stdlib.h>
#include <string.h>

void muster_describe(const struct keep *k, int node, struct holding *out)
{
	memset(out, 0, sizeof *out);
	out->node = node;
	for (int g = 0; g < KEEP_GENERATIONS; g++) {
		out->own[g] = k->own[g].iter;
		out->parity[g] = k->parity[g].iter;
		for (int b = 0; b < BUDDIES_MAX; b++) {
			out->ward[b][g] = k->ward[b][g].iter;
			out->ward_role[b][g] = k->ward[b][g].role;
		}
	}
}

int muster_strides(const struct muster *m, struct keep *k)
{
	int *node = malloc((size_t)m->np * sizeof *node);

	if (!node)
		return RB_ENOMEM;
	for (int r = 0; r < m->np; r++)
		node[r] = m->of[r].node;
	levels_strides(&k->levels, m->np, node, k->stride);
	free(node);
	return RB_OK;
}

static bool among(const int64_t *generation, int64_t iter)
{
	for (int g = 0; g < KEEP_GENERATIONS; g++)
		if (generation[g] == iter)
			return true;
	return false;
}

bool muster_has_own(const struct muster *m, int role)
{
	return among(m->of[role].own, m->iter);
}

bool muster_has_parity(const struct muster *m, int role)
{
	return among(m->of[role].parity, m->iter);
}

bool muster_has_ward(const struct muster *m, int holder, int role, int b)
{
	const struct holding *h = &m->of[holder];

	for (int g = 0; g < KEEP_GENERATIONS; g++)
		if (h->ward[b][g] == m->iter && h->ward_role[b][g] == role)
			return true;
	return false;
}

int muster_copy(const struct muster *m, int holder, int role)
{
	for (int b = 0; b < BUDDIES_MAX; b++)
		if (muster_has_ward(m, holder, role, b))
			return b;
	return -1;
}

int muster_holder(const struct muster *m, int role, int nth)
{
	for (int h = 0; h < m->np; h++)
		if (muster_copy(m, h, role) >= 0 && nth-- == 0)
			return h;
	return -1;
}

/* Copies are tried in order, and what came of the last one tells whether it was right. */
bool muster_copy_refused(const struct muster *m, int holder, int role)
{
	const struct holding *h = &m->of[role];
	int refused = h->copies_tried;

	if (muster_has_own(m, role) && h->rs_tried == 0)
		refused--;
	for (int nth = 0; nth < refused; nth++)
		if (muster_holder(m, role, nth) == holder)
			return true;
	return false;
}

bool muster_parity_refused(const struct muster *m, int role)
{
	return m->of[role].rs_tried > 0 && !muster_has_own(m, role);
}

bool muster_places(const struct muster *m, const struct rs_group *g, int stripe, int lost, int *place)
{
	int found = 0;

	for (int p = 0; p < g->size && found < g->k; p++) {
		int role = g->role[rs_member(g, stripe, p)];

		if (p != lost && (p < g->k ? muster_has_own(m, role) : muster_has_parity(m, role)))
			place[found++] = p;
	}
	return found == g->k;
}

bool muster_decodable(const struct muster *m, const struct rs_group *g, int i)
{
	int place[RS_GROUP_MAX];

	for (int p = 0; p < g->k; p++)
		if (!muster_places(m, g, rs_stripe(g, i, p), p, place))
			return false;
	return g->k > 0;
}

static void newer(int64_t iter, int64_t below, int64_t *newest)
{
	if (iter < below && iter > *newest)
		*newest = iter;
}

int64_t muster_older(const struct muster *m, const struct rs_group *g, int role)
{
	int64_t newest = 0;

	for (int i = 0; i < KEEP_GENERATIONS; i++) {
		newer(m->of[role].own[i], m->iter, &newest);
		for (int h = 0; h < m->np; h++)
			for (int b = 0; b < BUDDIES_MAX; b++)
				if (m->of[h].ward_role[b][i] == role)
					newer(m->of[h].ward[b][i], m->iter, &newest);
		for (int n = 0; n < g->size; n++)
			newer(m->of[g->role[n]].parity[i], m->iter, &newest);
	}
	return newest;
}

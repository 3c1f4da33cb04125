#include "ft/levels.h"

#include "base/build.h"
#include "base/status.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sources[] = {
	[FROM_NOWHERE] = "nowhere", [FROM_INITIAL] = "initial", [FROM_OWN] = "own",
	[FROM_BUDDY] = "buddy",     [FROM_RS] = "rs",           [FROM_FILE] = "file",
};

const struct level_help levels_help[] = {
	{ "file",
	  "in a file for each role: survives what the folder survives, the job's end included" },
	{ "buddy[:COPIES]",
	  "in the memory of 1 or 2 partners: any deaths but a role's and all its partners'" },
	{ "buddy:near",
	  "in the memory of a partner on the same node: likewise, but not the node's death" },
	{ "rs:K+M", "Reed-Solomon parity in groups of K+M roles: M deaths in each" },
	{ NULL, NULL },
};

const char *level_source_name(enum level_source source)
{
	return sources[source];
}

/* One level, between commas. Each may be given once. */
static bool parse_one(struct levels *l, const char *text)
{
	int64_t k, m;

	if (strcmp(text, "file") == 0 && !l->file) {
		l->file = true;
		return true;
	}
	if (strncmp(text, "buddy", 5) == 0 && l->buddies == 0) {
		k = 1;
		l->near = strcmp(text, "buddy:near") == 0;
		if (text[5] && !l->near &&
		    (text[5] != ':' || !text_integer(text + 6, 1, BUDDIES_MAX, &k)))
			return false;
		l->buddies = (int)k;
		return true;
	}
	if (l->k > 0 || strncmp(text, "rs:", 3) != 0)
		return false;
	text += 3;
	if (!text_digits(&text, &k) || *text != '+' ||
	    !text_integer(text + 1, 1, RS_PARITY_MAX, &m) || k < 1 || k > RS_MEMBERS_MAX - m)
		return false;
	l->k = (int)k;
	l->m = (int)m;
	return true;
}

int levels_parse(struct levels *l, const char *text, struct rb_error *err)
{
	char copy[LEVELS_TEXT], *at = copy;
	bool ok = strlen(text) < sizeof copy;

	memset(l, 0, sizeof *l);
	if (ok)
		memcpy(copy, text, strlen(text) + 1);
	while (ok && at) {
		char *one = strsep(&at, ",");

		ok = parse_one(l, one);
	}
	if (!ok)
		return rb_fail(
			err, RB_EINVAL,
			"--ckpt %s: expected one or more of file, buddy[:COPIES] (1 or %d) or "
			"buddy:near, and rs:K+M (K + M up to %d, M up to %d), for instance "
			"file,buddy or rs:4+2",
			text, BUDDIES_MAX, RS_MEMBERS_MAX, RS_PARITY_MAX);
	if (l->k > 0 && !HAVE_ISAL)
		return library_refuse(err, "--ckpt rs:K+M", "isal");
	return RB_OK;
}

int levels_check(const struct levels *l, int np, struct rb_error *err)
{
	if (l->buddies >= np)
		return rb_fail(
			err, RB_EINVAL,
			"--ckpt buddy:%d: %d role%s cannot hold %d cop%s for each other; use more "
			"roles or --ckpt file",
			l->buddies, np, np == 1 ? "" : "s", l->buddies,
			l->buddies == 1 ? "y" : "ies");
	if (l->k + l->m > np)
		return rb_fail(
			err, RB_EINVAL,
			"--ckpt rs:%d+%d: a group has %d roles, but there are only %d; use a "
			"smaller K",
			l->k, l->m, l->k + l->m, np);
	return RB_OK;
}

/* How many copies a stride would put on a node that holds the image already. */
static int clashes(int np, const int *node, const int *stride, int b, int candidate)
{
	int count = 0;

	for (int r = 0; r < np; r++) {
		int there = node[(r + candidate) % np];
		bool clash = there == node[r];

		for (int i = 0; i < b; i++)
			clash = clash || there == node[(r + stride[i]) % np];
		count += clash;
	}
	return count;
}

static bool taken(const int *stride, int b, int candidate)
{
	for (int i = 0; i < b; i++)
		if (stride[i] == candidate)
			return true;
	return false;
}

void levels_strides(const struct levels *l, int np, const int *node, int stride[BUDDIES_MAX])
{
	for (int b = 0; b < l->buddies; b++) {
		int least = np + 1;

		for (int s = 1; s < np && least > 0; s++) {
			int here = taken(stride, b, s) ? np + 1 : clashes(np, node, stride, b, s);

			if (here < least) {
				least = here;
				stride[b] = s;
			}
		}
	}
}

static int count_on(const int *node, int np, int wanted)
{
	int count = 0;

	for (int r = 0; r < np; r++)
		count += node[r] == wanted;
	return count;
}

/* The roles of one node: pairs, and a ring of three at the end of an odd number. */
static void pair(int np, const int *node, int wanted, int *partner)
{
	int left = count_on(node, np, wanted), first = -1, before = -1;

	for (int r = 0; r < np; r++) {
		if (node[r] != wanted)
			continue;
		if (before < 0)
			first = r;
		else
			partner[before] = r;
		before = r;
		left--;
		partner[r] = first;
		if (left != 1 && before != first)
			before = -1; /* the pair or the ring is complete */
	}
}

int levels_near(int np, const int *node, int *partner)
{
	int *group = malloc((size_t)np * sizeof *group), alone = 0;

	if (!group)
		return RB_ENOMEM;
	for (int r = 0; r < np; r++) {
		/* no node has this number */
		group[r] = count_on(node, np, node[r]) > 1 ? node[r] : -1;
		alone += group[r] < 0;
	}
	for (int r = 0; r < np && alone == 1; r++)
		if (group[r] < 0)
			group[r] = group[(r + 1) % np];
	for (int r = 0; r < np; r++) { /* once for each group, at its first role */
		int first = 0;

		while (group[first] != group[r])
			first++;
		if (first == r)
			pair(np, group, group[r], partner);
	}
	free(group);
	return RB_OK;
}

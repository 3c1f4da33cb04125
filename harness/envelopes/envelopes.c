#include "harness/envelopes/envelopes.h"

#include "base/clock.h"
#include "base/mix.h"

#include <stdlib.h>

enum { AT_LEAST = 1000000 }; /* events of a measurement, for the resolution of the clock */

/* 0 to n - 1 in a random order. The caller frees it. */
static int *random_order(int n, uint64_t seed)
{
	int *order = malloc((size_t)n * sizeof *order);

	for (int i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		mix_shuffle(order, (size_t)n, seed);
	return order;
}

/* Four communicators; the rest is in the tags. */
static elc_key envelope(int kind)
{
	return elc_key_of((uint32_t)(kind & 3), kind >> 2);
}

static bool fill(enum elc_form form, const elc_key *key, int events)
{
	struct elc_log log;
	bool there = true;

	elc_log_init(&log, form);
	for (int i = 0; there && i < events; i++)
		there = elc_log_add(&log, key[i]) == 0;
	elc_log_free(&log);
	return there;
}

double envelopes_log_ns(const struct envelopes_log *log, uint64_t seed)
{
	const int times = log->events < AT_LEAST ? AT_LEAST / log->events : 1;
	int *order = random_order(log->events, seed);
	elc_key *key = calloc((size_t)log->events, sizeof *key);
	bool there = order && key;
	double begin;

	for (int i = 0; there && i < log->events; i++)
		key[i] = envelope(order[i] % log->kinds);
	begin = clock_thread();
	for (int i = 0; there && i < times; i++)
		there = fill(log->form, key, log->events);
	begin = clock_thread() - begin;
	free(order);
	free(key);
	return there ? 1e9 * begin / times / log->events : -1;
}

struct node {
	struct node *next;
	elc_key key;
};

static struct node *list_of(int n)
{
	struct node *node = calloc((size_t)n, sizeof *node);

	for (int i = 0; node && i < n; i++)
		node[i] = (struct node){ i + 1 < n ? &node[i + 1] : NULL, envelope(i) };
	return node;
}

/* Find an envelope that is in the list, and remove it; returns the comparisons. */
static int64_t take(struct node **at, elc_key key)
{
	int64_t comparisons = 1;

	for (; (*at)->key != key; at = &(*at)->next)
		comparisons++;
	*at = (*at)->next;
	return comparisons;
}

double envelopes_search_ns(const struct envelopes_search *search, uint64_t seed,
			   int64_t *comparisons)
{
	struct node *node = list_of(search->sent), *head = node;
	int *order = random_order(search->sent, seed);
	double begin, ns = -1;

	*comparisons = 0;
	if (node && order) {
		begin = clock_thread();
		for (int i = 0; i < search->received; i++)
			*comparisons += take(&head, envelope(order[i]));
		ns = 1e9 * (clock_thread() - begin) / (double)*comparisons;
	}
	free(node);
	free(order);
	return ns;
}

double envelopes_expected(const struct envelopes_search *search, bool removed)
{
	const double n = search->sent, r = search->received;

	return (2 * n - (removed ? 1 : 2) * r + 3) * r / 4;
}

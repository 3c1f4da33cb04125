#include "forecast/study/exchange.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static int by_channel(const void *a, const void *b)
{
	const struct exchange_entry *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

/* Are all entries valid? */
static bool is_valid(const struct exchange_entry *entries, size_t count, int np)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct exchange_entry *o = &entries[i];

		if (o->source < 0 || o->source >= np || o->receiver < 0 || o->receiver >= np ||
		    o->bytes < 0 || o->bytes > INT64_MAX - sum)
			return false;
		sum += o->bytes;
	}
	return true;
}

static bool is_sorted(const struct exchange_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (by_channel(&entries[i - 1], &entries[i]) > 0)
			return false;
	return true;
}

/* Make channels of the sorted entries. */
static void fill(struct exchange *e, const struct exchange_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct exchange_entry *o = &entries[i];

		if (i > 0 && by_channel(&entries[i - 1], o) == 0) {
			e->bytes[e->count - 1] += o->bytes;
			continue;
		}
		e->source[e->count] = o->source;
		e->receiver[e->count] = o->receiver;
		e->bytes[e->count++] = o->bytes;
		e->first[o->source + 1] = e->count;
	}
	for (int r = 0; r < e->np; r++)
		if (e->first[r + 1] < e->first[r])
			e->first[r + 1] = e->first[r];
}

int exchange_build(struct exchange *e, int np, struct exchange_entry *entries, size_t count)
{
	const size_t room = count > 0 ? count : 1;

	if (np < 1 || !is_valid(entries, count, np))
		return RB_EINVAL;
	if (!is_sorted(entries, count))
		qsort(entries, count, sizeof *entries, by_channel);
	*e = (struct exchange){ .np = np,
				.first = calloc((size_t)np + 1, sizeof *e->first),
				.source = malloc(room * sizeof *e->source),
				.receiver = malloc(room * sizeof *e->receiver),
				.bytes = malloc(room * sizeof *e->bytes) };
	if (!e->first || !e->source || !e->receiver || !e->bytes) {
		exchange_free(e);
		return RB_ENOMEM;
	}
	fill(e, entries, count);
	return RB_OK;
}

void exchange_free(struct exchange *e)
{
	free(e->first);
	free(e->source);
	free(e->receiver);
	free(e->bytes);
	memset(e, 0, sizeof *e);
}

/* The channels of a receiver come by sender in both. */
static void fill_transposed(struct exchange *t, size_t *index, const struct exchange *e)
{
	for (size_t i = 0; i < e->count; i++)
		t->first[e->receiver[i] + 1]++;
	for (int r = 0; r < t->np; r++)
		t->first[r + 1] += t->first[r];
	for (size_t i = 0; i < e->count; i++) {
		const size_t at = t->first[e->receiver[i]]++;

		t->source[at] = e->receiver[i];
		t->receiver[at] = e->source[i];
		t->bytes[at] = e->bytes[i];
		index[at] = i;
	}
	for (int r = t->np; r > 0; r--)
		t->first[r] = t->first[r - 1];
	t->first[0] = 0;
}

int exchange_transpose(struct exchange *t, size_t **index, const struct exchange *e)
{
	const size_t room = e->count + 1;

	*index = malloc(room * sizeof **index);
	*t = (struct exchange){ .np = e->np,
				.count = e->count,
				.first = calloc((size_t)e->np + 1, sizeof *t->first),
				.source = malloc(room * sizeof *t->source),
				.receiver = malloc(room * sizeof *t->receiver),
				.bytes = malloc(room * sizeof *t->bytes) };
	if (!*index || !t->first || !t->source || !t->receiver || !t->bytes) {
		exchange_free(t);
		free(*index);
		*index = NULL;
		return RB_ENOMEM;
	}
	fill_transposed(t, *index, e);
	return RB_OK;
}

size_t exchange_find(const struct exchange *e, int source, int receiver)
{
	size_t low = e->first[source], high = e->first[source + 1];

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (e->receiver[middle] < receiver)
			low = middle + 1;
		else
			high = middle;
	}
	return low < e->first[source + 1] && e->receiver[low] == receiver ? low : e->count;
}

int64_t exchange_bytes(const struct exchange *e, bool diagonal)
{
	int64_t sum = 0;

	for (size_t i = 0; i < e->count; i++)
		sum += diagonal || e->source[i] != e->receiver[i] ? e->bytes[i] : 0;
	return sum;
}

void exchange_load(const struct exchange *e, bool diagonal, int64_t *load)
{
	memset(load, 0, (size_t)e->np * sizeof *load);
	for (size_t i = 0; i < e->count; i++)
		load[e->source[i]] += diagonal || e->source[i] != e->receiver[i] ? e->bytes[i] : 0;
}

int64_t exchange_largest_log(const struct exchange *e)
{
	int64_t most = 0;

	for (int s = 0; s < e->np; s++) {
		int64_t sum = 0;

		for (size_t i = e->first[s]; i < e->first[s + 1]; i++)
			sum += e->receiver[i] != s ? e->bytes[i] : 0;
		most = sum > most ? sum : most;
	}
	return most;
}

int64_t exchange_largest_received(const struct exchange *e)
{
	int64_t *received = calloc((size_t)e->np, sizeof *received), most = received ? 0 : -1;

	for (size_t i = 0; received && i < e->count; i++) {
		int64_t *sum = &received[e->receiver[i]];

		*sum += e->source[i] != e->receiver[i] ? e->bytes[i] : 0;
		most = *sum > most ? *sum : most;
	}
	free(received);
	return most;
}

size_t exchange_most_channels(const struct exchange *e)
{
	size_t most = 1;

	for (int s = 0; s < e->np; s++)
		if (e->first[s + 1] - e->first[s] > most)
			most = e->first[s + 1] - e->first[s];
	return most;
}

double exchange_coverage(const struct exchange *e, int cluster, bool diagonal)
{
	const int64_t all = exchange_bytes(e, diagonal);
	int64_t within = 0;

	for (size_t i = 0; i < e->count; i++)
		if (e->source[i] / cluster == e->receiver[i] / cluster &&
		    (diagonal || e->source[i] != e->receiver[i]))
			within += e->bytes[i];
	return all > 0 ? (double)within / (double)all : 0;
}

static int ascending(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void load_sort(int64_t *load, int np)
{
	qsort(load, (size_t)np, sizeof *load, ascending);
}

/* The two terms are brought together before the division, so that equal loads give exactly 0. */
double load_gini(const int64_t *sorted, int np)
{
	long double sum = 0, weighted = 0;

	for (int k = 0; k < np; k++) {
		sum += (long double)sorted[k];
		weighted += (long double)(2 * (int64_t)k + 1 - np) * (long double)sorted[k];
	}
	return sum > 0 ? (double)(weighted / (np * sum)) : 0;
}

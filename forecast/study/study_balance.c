/* The first half of a study: the shape of the matrix (memory-constrained-logging paper, Sect.
 * III-A, Fig. 3 and 4). */
#include "forecast/study/study.h"

#include "base/json.h"
#include "base/status.h"

#include <stdlib.h>

enum { LORENZ_POINTS = 128 };

static json_t *coverage_json(const struct study *s, const struct exchange *e)
{
	json_t *list = json_array();
	int size = 2;

	for (int i = 0; s->clusters ? i < s->clusters : size <= e->np;
	     i++, size = size > e->np / 2 ? e->np + 1 : 2 * size) {
		const int cluster = s->clusters ? s->cluster[i] : size;

		json_array_append_new(
			list, json_pack("{s:i, s:f, s:f}", "cluster", cluster, "with_diagonal",
					exchange_coverage(e, cluster, true), "without_diagonal",
					exchange_coverage(e, cluster, false)));
	}
	return list;
}

/* Points of the Lorenz curve: share of the ranks, those with the least load first, and their share
 * of the bytes. */
static json_t *lorenz_json(const int64_t *sorted, int np)
{
	json_t *list = json_array();
	const int points = np < LORENZ_POINTS ? np : LORENZ_POINTS;
	long double all = 0, sum = 0;
	int next = 0;

	for (int r = 0; r < np; r++)
		all += (long double)sorted[r];
	for (int k = 0; k <= np; k++) {
		if (k == (int)((int64_t)next * np / points)) {
			json_array_append_new(list, json_pack("[f, f]", (double)k / np,
							      all > 0 ? (double)(sum / all) : 0.0));
			next++;
		}
		sum += k < np ? (long double)sorted[k] : 0;
	}
	return list;
}

static json_t *load_json(const int64_t *sorted, int np)
{
	long double sum = 0;

	for (int r = 0; r < np; r++)
		sum += (long double)sorted[r];
	return json_pack("{s:I, s:I, s:f, s:I}", "least", (json_int_t)sorted[0], "median",
			 (json_int_t)sorted[np / 2], "mean", (double)(sum / np), "most",
			 (json_int_t)sorted[np - 1]);
}

/* [[sender's cell, receiver's cell, bytes], ...]; a cell is `ranks` consecutive ranks. */
static json_t *cells_json(const struct exchange *e, int cells)
{
	const int ranks = (e->np + cells - 1) / cells, side = (e->np + ranks - 1) / ranks;
	int64_t *sum = calloc((size_t)side * (size_t)side, sizeof *sum);
	json_t *list = json_array();

	for (size_t i = 0; sum && i < e->count; i++)
		sum[(size_t)(e->source[i] / ranks) * (size_t)side +
		    (size_t)(e->receiver[i] / ranks)] += e->bytes[i];
	for (int k = 0; sum && k < side * side; k++)
		if (sum[k] > 0)
			json_array_append_new(list, json_pack("[i, i, I]", k / side, k % side,
							      (json_int_t)sum[k]));
	free(sum);
	return json_pack("{s:i, s:i, s:o}", "side", side, "ranks", ranks, "bytes", list);
}

int study_balance(const struct study *s, const struct exchange *e, json_t *to)
{
	int64_t *load = malloc((size_t)e->np * sizeof *load);

	if (!load)
		return RB_ENOMEM;
	exchange_load(e, false, load);
	load_sort(load, e->np);
	json_object_set_new(to, "gini_without_diagonal", json_real(load_gini(load, e->np)));
	exchange_load(e, true, load);
	if (s->cells) {
		json_object_set_new(to, "cells", cells_json(e, s->cells));
		json_object_set_new(to, "loads", integers_json(load, e->np));
	}
	load_sort(load, e->np);
	json_object_set_new(to, "gini", json_real(load_gini(load, e->np)));
	json_object_set_new(to, "load", load_json(load, e->np));
	json_object_set_new(to, "lorenz", lorenz_json(load, e->np));
	json_object_set_new(to, "coverage", coverage_json(s, e));
	free(load);
	return RB_OK;
}

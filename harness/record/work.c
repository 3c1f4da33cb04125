#include "harness/record/work.h"

#include "base/quantile.h"

#include <string.h>

json_t *work_json(const struct ledger_work *w)
{
	double sorted[LEDGER_WORKS];
	json_t *list;

	if (w->count < 1 || w->count > LEDGER_WORKS)
		return json_null();
	memcpy(sorted, w->seconds, (size_t)w->count * sizeof *sorted);
	sort_numbers(sorted, (size_t)w->count);
	list = json_array();
	for (int k = 0; k < WORK_QUANTILES; k++)
		json_array_append_new(list, json_real(quantile(sorted, (size_t)w->count,
							       (double)k / (WORK_QUANTILES - 1))));
	return list;
}

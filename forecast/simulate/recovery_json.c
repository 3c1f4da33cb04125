#include "forecast/simulate/recovery_json.h"

#include "base/json.h"

static json_t *set_of(const bool *member, int np)
{
	json_t *list = json_array();

	for (int r = 0; r < np; r++)
		if (member[r])
			json_array_append_new(list, json_integer(r));
	return list;
}

/* Iterations that the duplicate of a role completes; -1: it has none. */
static int64_t supported_by(const struct situation *s, const struct decision *d, int role)
{
	return d->end[role].iter < 0 ? -1 : d->end[role].iter - s->line[role];
}

static void add_duplicates(json_t *json, const struct situation *s, const struct decision *d)
{
	json_t *supporting = json_array(), *sending = json_array(), *distance = json_array();
	json_int_t sum = 0;

	for (int r = 0; r < d->np; r++) {
		const int64_t each = supported_by(s, d, r);

		if (each >= 0)
			json_array_append_new(each > 0 ? supporting : sending, json_integer(r));
		sum += each > 0 ? (json_int_t)each : 0;
		json_array_append_new(distance, d->distance[r] < 0 ? json_null()
								   : json_integer(d->distance[r]));
	}
	json_object_set_new(json, "supporting", supporting);
	json_object_set_new(json, "sending", sending);
	json_object_set_new(json, "distance", distance);
	json_object_set_new(json, "supported", json_integer(sum));
}

json_t *recovery_json(const struct situation *s, const struct decision *d)
{
	json_t *json =
		json_pack("{s:o, s:o, s:o, s:o}", "died", set_of(s->dead, d->np), "fronts",
			  integers_json(s->front, d->np), "line", integers_json(s->line, d->np),
			  "rollback_set", set_of(d->back, d->np));

	if (json && d->dataflow)
		add_duplicates(json, s, d);
	return json;
}

static void append(void *watched, const struct situation *s, const struct decision *d)
{
	json_array_append_new(watched, recovery_json(s, d));
}

void recovery_watch(struct model *m, json_t *list)
{
	m->watch = append;
	m->watched = list;
}

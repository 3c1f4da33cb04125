/* Recorded recoveries beside their forecasts. */
#include "base/json.h"
#include "harness/cli/explain.h"

struct roles {
	bool in[EXPLAIN_COMPARED_ROLES];
	bool beyond; /* a damaged record names roles that cannot be */
};

static void add_roles(struct roles *roles, const json_t *list)
{
	const json_t *role;
	size_t i;

	json_array_foreach(list, i, role) {
		const long long number = json_integer_value(role);

		if (!json_is_integer(role))
			continue;
		if (number >= 0 && number < EXPLAIN_COMPARED_ROLES)
			roles->in[number] = true;
		else
			roles->beyond = true;
	}
}

static bool is_within(const struct roles *some, const struct roles *all)
{
	for (size_t role = 0; role < EXPLAIN_COMPARED_ROLES; role++)
		if (some->in[role] && !all->in[role])
			return false;
	return !some->beyond;
}

/* The recorded set must have all that was certain and nothing that was impossible. */
static bool agrees(const json_t *recorded, const json_t *certain, const json_t *perhaps)
{
	struct roles seen = { .beyond = false }, least = { .beyond = false }, most;

	add_roles(&seen, recorded);
	add_roles(&least, certain);
	most = least;
	add_roles(&most, perhaps);
	return is_within(&least, &seen) && is_within(&seen, &most);
}

/* Data-flow rollback of which only one course is possible. */
static bool agrees_exactly(const json_t *failure, const json_t *forecast)
{
	static const char *const keys[] = { "supporting", "sending", "distance", "supported" };
	bool same = number_of(failure, "lost") == (double)(integer_of(forecast, "front", 0) -
							   integer_of(forecast, "checkpoint", 0));

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		same = same && json_equal(json_object_get(failure, keys[i]),
					  json_object_get(forecast, keys[i]));
	return same;
}

/* Those that have a duplicate. */
static struct roles taking_part(const json_t *cone)
{
	struct roles roles = { .beyond = false };

	add_roles(&roles, json_object_get(cone, "supporting"));
	add_roles(&roles, json_object_get(cone, "sending"));
	return roles;
}

/* Of data-flow rollback two courses were foreseen, one of which needs more duplicates than the
 * other. */
static bool agrees_roughly(const json_t *failure, const json_t *early, const json_t *late)
{
	const struct roles least = taking_part(early), seen = taking_part(failure),
			   most = taking_part(late);
	const json_t *supported = json_object_get(failure, "supported");

	return is_within(&least, &seen) && is_within(&seen, &most) && json_is_integer(supported) &&
	       json_integer_value(supported) >= integer_of(early, "supported", 0) &&
	       json_integer_value(supported) <= integer_of(late, "supported", 0);
}

static bool same_duplicates(const json_t *failure, const json_t *forecast)
{
	const json_t *late = json_object_get(forecast, "perhaps");

	if (!explain_is_dataflow(forecast))
		return true;
	return late ? agrees_roughly(failure, forecast, late) : agrees_exactly(failure, forecast);
}

static bool same_sets(const json_t *failure, const json_t *forecast)
{
	return agrees(json_object_get(failure, "rollback_set"),
		      json_object_get(forecast, "restarted"),
		      json_object_get(forecast, "perhaps_restarted")) &&
	       agrees(json_object_get(failure, "active"), json_object_get(forecast, "active"),
		      json_object_get(forecast, "perhaps_active"));
}

bool explain_agrees(const json_t *failure, const json_t *forecast)
{
	return same_sets(failure, forecast) && same_duplicates(failure, forecast);
}

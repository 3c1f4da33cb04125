/* A recorded recovery beside its forecast: which differences count. Both are made up here; records
 * of runs are compared by tests/program/test_explain.py. */
#include "harness/cli/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static json_t *json(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	assert_non_null(value);
	return value;
}

#define SETS                                                                                       \
	"\"checkpoint\": 20, \"restarted\": [3], \"perhaps_restarted\": [2], \"active\": [1, 4], " \
	"\"perhaps_active\": [], \"blocked\": [0], \"chain\": [0, 1], \"log_bytes_peak\": [8]"
#define CONE                                                                                    \
	"\"front\": 22, \"supporting\": [2], \"sending\": [0], \"idle\": [], \"supported\": 1," \
	"\"distance\": [2, null, 1, 0, null], \"supported_each\": [0, null, 1, null, null]"
#define LARGER "\"front\": 23, \"supporting\": [0, 2], \"sending\": [1], \"supported\": 4"

static const char rollback[] = "{\"recompute\": \"rollback\", " SETS "}",
		  dataflow[] = "{\"recompute\": \"dataflow\", " SETS ", " CONE "}",
		  two_courses[] = "{\"recompute\": \"dataflow\", " SETS ", " CONE
				  ", \"perhaps\": {" LARGER "}}";

/* Does it agree with the value of this key as given, or without the key if there is none? */
static bool agrees(const char *forecast, const char *key, const char *value)
{
	json_t *failure =
		       json("{\"role\": 3, \"iteration\": 22, \"rollback_set\": [3], \"active\": "
			    "[4, 1], \"lost\": 2, " CONE "}"),
	       *foretold = json(forecast);
	bool same;

	json_object_del(failure, key);
	if (value)
		json_object_set_new(failure, key, json_loads(value, JSON_DECODE_ANY, NULL));
	same = explain_agrees(failure, foretold);
	json_decref(failure);
	json_decref(foretold);
	return same;
}

static void sets_have_what_is_certain_and_nothing_impossible(void **state)
{
	(void)state;
	assert_true(agrees(rollback, "", NULL));
	assert_true(agrees(rollback, "rollback_set", "[2, 3]"));
	assert_true(agrees(rollback, "rollback_set", "[3, 3, \"x\", null]"));
	assert_true(agrees(rollback, "role", NULL));
	assert_false(agrees(rollback, "rollback_set", "[2]"));
	assert_false(agrees(rollback, "rollback_set", "[3, 5]"));
	assert_false(agrees(rollback, "rollback_set", "[3, -1]"));
	assert_false(agrees(rollback, "rollback_set", "[3, 99999999999]"));
	assert_false(agrees(rollback, "rollback_set", "3"));
	assert_false(agrees(rollback, "active", NULL));
	assert_false(agrees(rollback, "active", "[1]"));
}

static void duplicates_are_compared_with_dataflow_only(void **state)
{
	static const char *const forged[][2] = {
		{ "supported", "2" },   { "supporting", "[4]" }, { "sending", "[]" },
		{ "distance", "null" }, { "lost", "9" },         { "lost", NULL },
		{ "supported", NULL },
	};

	(void)state;
	assert_true(agrees(dataflow, "", NULL));
	assert_false(agrees(dataflow, "active", "[1]"));
	for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
		assert_true(agrees(rollback, forged[i][0], forged[i][1]));
		assert_false(agrees(dataflow, forged[i][0], forged[i][1]));
	}
}

static void between_two_courses_all_is_possible(void **state)
{
	(void)state;
	assert_true(agrees(two_courses, "", NULL));
	assert_true(agrees(two_courses, "supporting", "[0, 1, 2]"));
	assert_true(agrees(two_courses, "supported", "4"));
	assert_true(agrees(two_courses, "lost", NULL));
	assert_false(agrees(two_courses, "supported", "5"));
	assert_false(agrees(two_courses, "supported", "0"));
	assert_false(agrees(two_courses, "supported", "\"1\""));
	assert_false(agrees(two_courses, "supporting", "[]"));
	assert_false(agrees(two_courses, "sending", "[0, 4]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_have_what_is_certain_and_nothing_impossible),
		cmocka_unit_test(duplicates_are_compared_with_dataflow_only),
		cmocka_unit_test(between_two_courses_all_is_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

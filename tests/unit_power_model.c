/* The modelled energy against numbers worked out by hand, and what it says where nothing is
 * known. */
#include "base/status.h"
#include "harness/record/power_model.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct power_model eight = { .name = "eight", .note = "made up", .busy_w = 8, .idle_w = 2 };

/* Two cores of one host and one of another: roles 0 and 2 share the first. */
static const char text[] =
	"{\"loop_s\": 10, \"status\": \"ok\", \"roles\": ["
	"{\"role\": 0, \"host\": \"a\", \"binding\": \"0-1\", \"used\": {\"lost\": 0,"
	" \"step\": {\"spans\": 9, \"wall_s\": 9, \"cpu_s\": 1.5},"
	" \"blocked\": {\"spans\": 1, \"wall_s\": 1, \"cpu_s\": 0.5},"
	" \"setup\": {\"spans\": 1, \"wall_s\": 1, \"cpu_s\": 90},"
	" \"verify\": {\"spans\": 1, \"wall_s\": 1, \"cpu_s\": 100}}},"
	"{\"role\": 1, \"host\": \"a\", \"binding\": \"2-3\", \"used\": {\"lost\": 0,"
	" \"step\": {\"spans\": 9, \"wall_s\": 9, \"cpu_s\": 10.25}}},"
	"{\"role\": 2, \"host\": \"a\", \"binding\": \"0-1\", \"used\": {\"lost\": 0,"
	" \"step\": {\"spans\": 9, \"wall_s\": 9, \"cpu_s\": 3}}},"
	"{\"role\": 3, \"host\": \"b\", \"binding\": \"0-1\", \"used\": {\"lost\": 0,"
	" \"step\": {\"spans\": 9, \"wall_s\": 9, \"cpu_s\": 0.5}}}]}";

static json_t *record_of_text(void)
{
	json_t *record = json_loads(text, 0, NULL);

	assert_non_null(record);
	return record;
}

static json_t *modelled(json_t *record)
{
	power_model_add(&eight, record);
	return json_object_get(record, "modelled");
}

static double number(const json_t *object, const char *key)
{
	assert_true(json_is_number(json_object_get(object, key)));
	return json_number_value(json_object_get(object, key));
}

static void cores_share_their_idle_time(void **state)
{
	json_t *record = record_of_text(), *m = modelled(record), *cores, *core;

	(void)state;
	cores = json_object_get(m, "by_core");
	assert_int_equal(json_array_size(cores), 3);
	/* 5 s busy, without set-up and verification: 5 x 8 + 5 x 2 */
	core = json_array_get(cores, 0);
	assert_int_equal(json_array_size(json_object_get(core, "roles")), 2);
	assert_true(number(core, "cpu_s") == 5 && number(core, "busy_s") == 5);
	assert_true(number(core, "idle_s") == 5 && number(core, "energy_j") == 50);
	core = json_array_get(cores, 1); /* never busy for longer than the loop */
	assert_true(number(core, "cpu_s") == 10.25 && number(core, "busy_s") == 10);
	assert_true(number(core, "idle_s") == 0 && number(core, "energy_j") == 80);
	core = json_array_get(cores, 2); /* another host's: 0.5 x 8 + 9.5 x 2 */
	assert_true(number(core, "energy_j") == 23);
	assert_true(number(m, "energy_j") == 153);
	assert_true(json_is_null(json_object_get(m, "reason")));
	assert_int_equal(json_array_size(json_object_get(m, "unmeasured")), 0);
	assert_non_null(strstr(json_string_value(json_object_get(m, "note")), "modelled"));
	assert_true(power_model_is_in(&eight, record));
	json_decref(record);
}

static void lose(json_t *record, size_t i)
{
	json_t *role = json_array_get(json_object_get(record, "roles"), i);

	json_object_set_new(json_object_get(role, "used"), "lost", json_integer(1));
}

static void a_role_that_lost_a_process_is_unmeasured(void **state)
{
	json_t *record = record_of_text(), *m, *core;

	(void)state;
	lose(record, 2);
	m = modelled(record);
	core = json_array_get(json_object_get(m, "by_core"), 0);
	for (const char *const *key =
		     (const char *const[]){ "cpu_s", "busy_s", "idle_s", "energy_j", NULL };
	     *key; key++)
		assert_true(json_is_null(json_object_get(core, *key)));
	assert_non_null(strstr(json_string_value(json_object_get(core, "reason")), "role 2"));
	assert_true(number(m, "energy_j") == 103);
	assert_int_equal(json_array_size(json_object_get(m, "unmeasured")), 1);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(m, "unmeasured"), 0)),
			 2);
	json_decref(record);
}

/* With shared cores the replacement may be on another host than the process that died. */
static void where_a_process_died_may_be_unknown(void **state)
{
	json_t *record = record_of_text(), *m, *core;

	(void)state;
	lose(record, 2);
	json_object_set_new(record, "oversubscribed", json_true());
	m = modelled(record);
	core = json_array_get(json_object_get(m, "by_core"), 2);
	assert_true(json_is_null(json_object_get(core, "energy_j")));
	assert_non_null(strstr(json_string_value(json_object_get(core, "reason")), "may have run"));
	assert_true(number(m, "energy_j") == 80);
	assert_int_equal(json_array_size(json_object_get(m, "unmeasured")), 1);
	json_decref(record);
}

/* In each of these cases there is null, and why. */
static void nothing_is_filled_in(void **state)
{
	static const char *const spoil[][3] = {
		{ "loop_s", NULL, "did not finish" },
		{ "used", NULL, "--meters off" },
		{ "binding", "unbound: hwloc sees no cores", "bound to no core" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
		json_t *record = record_of_text(), *m;

		json_object_set_new(
			i == 0 ? record : json_array_get(json_object_get(record, "roles"), 3),
			spoil[i][0], spoil[i][1] ? json_string(spoil[i][1]) : json_null());
		m = modelled(record);
		assert_true(json_is_null(json_object_get(m, "energy_j")));
		assert_non_null(
			strstr(json_string_value(json_object_get(m, "reason")), spoil[i][2]));
		assert_int_equal(json_array_size(json_object_get(m, "by_core")), 0);
		json_decref(record);
	}
}

static void all_cores_lost(void **state)
{
	json_t *record = record_of_text(), *m, *role;
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(record, "roles"), i, role)
		lose(record, i);
	m = modelled(record);
	assert_true(json_is_null(json_object_get(m, "energy_j")));
	assert_non_null(strstr(json_string_value(json_object_get(m, "reason")), "every core"));
	json_decref(record);
}

static void another_profile_replaces_the_first(void **state)
{
	struct power_model other = eight;
	json_t *record = record_of_text();

	(void)state;
	power_model_add(NULL, record);
	assert_null(json_object_get(record, "modelled"));
	modelled(record);
	other.idle_w = 0;
	assert_false(power_model_is_in(&other, record));
	power_model_add(&other, record);
	assert_true(number(json_object_get(record, "modelled"), "energy_j") == 40 + 80 + 4);
	json_decref(record);
}

static void the_file(void **state)
{
	static const char good[] = "name: mine\nbusy_w: 8.5\nidle_w: 0\nnote: from the wall\n";
	struct power_model *model;
	struct rb_error err;
	char path[512];
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/model.yaml", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(good, f);
	fclose(f);
	assert_int_equal(power_model_load(path, &model, &err), RB_OK);
	assert_string_equal(model->name, "mine");
	assert_string_equal(model->note, "from the wall");
	assert_true(model->busy_w == 8.5 && model->idle_w == 0);
	power_model_free(model);
	unlink(path);
	assert_int_equal(power_model_load(path, &model, &err), RB_EIO);
	assert_null(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_share_their_idle_time),
		cmocka_unit_test(a_role_that_lost_a_process_is_unmeasured),
		cmocka_unit_test(where_a_process_died_may_be_unknown),
		cmocka_unit_test(nothing_is_filled_in),
		cmocka_unit_test(all_cores_lost),
		cmocka_unit_test(another_profile_replaces_the_first),
		cmocka_unit_test_setup_teardown(the_file, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

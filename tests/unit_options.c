/* The options of a run: every row of the table does what it says, wherever the option goes. */
#include "base/status.h"
#include "harness/options/command.h"
#include "harness/options/spec_options.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 32 };

static struct rb_error err;

static const struct option nothing[] = { { .name = NULL } };
static const struct command run = {
	.usage = "", .options = FOR_PLAN | FOR_RUN, .kernel = true, .own = nothing
};

/* Understand "./rollbench run cg ...", whose words have no blanks; some are in quotation marks. */
static void parse(const char *line, struct run_spec *spec)
{
	char text[COMMAND_TEXT], *argv[WORDS_MAX], *save;
	int argc = 0, rc;

	snprintf(text, sizeof text, "%s", line);
	for (char *word = strtok_r(text, " '", &save); word && argc < WORDS_MAX;
	     word = strtok_r(NULL, " '", &save))
		argv[argc++] = word;
	rc = command_parse(&run, argc - 1, argv + 1, spec, NULL, &err);
	if (rc != RB_OK)
		print_error("%s: %s\n", line, err.text);
	assert_int_equal(rc, RB_OK);
}

static char *as_text(const struct run_spec *spec)
{
	json_t *json = spec_json(spec);
	char *text = json_dumps(json, JSON_SORT_KEYS);

	json_decref(json);
	assert_non_null(text);
	return text;
}

static void assert_same(const struct run_spec *a, const struct run_spec *b)
{
	char *first = as_text(a), *second = as_text(b);

	assert_string_equal(first, second);
	free(first);
	free(second);
}

/* Command line -> spec -> spec.json -> spec -> command line -> spec; what is read from a record,
 * too. */
static void go_round(const char *line)
{
	char command[COMMAND_TEXT];
	struct run_spec first, loaded, again;
	json_t *record = json_pack("{s:s, s:s}", "kind", "engine", "kernel", "cg");

	parse(line, &first);
	assert_int_equal(spec_save(&first, dir, &err), RB_OK);
	assert_int_equal(spec_load(&loaded, dir, &err), RB_OK);
	assert_same(&first, &loaded);
	command_of(&loaded, command);
	parse(command, &again);
	assert_same(&first, &again);
	for (int part = PART_NONE + 1; part <= PART_LIMIT; part++)
		spec_record(&first, record, (enum option_part)part);
	assert_int_equal(spec_from_record(&again, record, &err), RB_OK);
	assert_int_equal(again.np, first.np);
	assert_int_equal(again.lag, first.lag);
	assert_string_equal(again.policy, first.policy);
	json_decref(record);
}

/* A value that is not the default. */
static const char *sample(const struct option *o)
{
	static const struct {
		const char *name, *text;
	} of[] = { { "policy", "all" },    { "ckpt", "file,buddy" }, { "kill", "1@8:op+7#2" },
		   { "kill-node", "0@3" }, { "class", "W" },         { "reduce", "ring" },
		   { "np", "8" },          { "meters", "off" } };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strcmp(of[i].name, o->name) == 0)
			return of[i].text;
	return o->word && o->type == OPTION_WORD ? o->word(1)
	       : o->type == OPTION_SECONDS       ? "7.25"
						 : "3";
}

static bool in_spec_json(const struct option *o)
{
	return o->key || o->given; /* all but where a run takes place */
}

static void every_option_goes_round(void **state)
{
	struct option options[OPTIONS_MAX];
	char line[COMMAND_TEXT];

	(void)state;
	spec_options(kernel_find("cg"), options);
	for (const struct option *o = options; o->name; o++) {
		struct run_spec plain, other;
		char *without, *with;
		bool chance = o->needs || strcmp(o->name, "mtbf") == 0,
		     restart = strcmp(o->name, "strategy") == 0;

		if (!in_spec_json(o))
			continue;
		snprintf(line, sizeof line, "./rollbench run cg --spares %d%s", restart ? 0 : 2,
			 chance && o->needs ? " --mtbf 9" : "");
		parse(line, &plain);
		snprintf(line + strlen(line), sizeof line - strlen(line), " --%s %s", o->name,
			 o->value ? sample(o) : "");
		if (strcmp(o->name, "paired") == 0) /* takes no spares */
			snprintf(line, sizeof line, "./rollbench run cg --spares 0 --paired 3");
		go_round(line);
		parse(line, &other);
		without = as_text(&plain);
		with = as_text(&other);
		assert_string_not_equal(without, with);
		free(without);
		free(with);
	}
	go_round("./rollbench run cg --spares 0");
	go_round("./rollbench run cg --np 4 --spares 1 --kill 3@13 --ckpt-lag 7 --node-size 2 "
		 "--power sleep");
	go_round("./rollbench run cg --ckpt-lag=3 --interval=4 --spares=0 --ckpt-sync");
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (const struct option *o = spec_table; o->name; o++) {
		assert_true(o->help && o->help[0] && o->commands != 0);
		assert_true(o->value || o->given);
		assert_ptr_equal(option_find(spec_table, o->name), o);
		assert_true(o->type != OPTION_WORD || o->word);
		assert_true(o->type != OPTION_OWN || o->set);
		assert_true(o->type == OPTION_OWN || o->at < sizeof(struct run_spec));
		assert_true(!o->needs || option_find(spec_table, o->needs));
		assert_true(o->part == PART_NONE || o->key);
		/* An inner axis must be in the name, or two runs would share it. The policy's place
		 * there has the strategy, too. */
		assert_true(o->shape != SHAPE_INNER || o->tag || !strcmp(o->name, "strategy"));
	}
}

static void defaults_are_what_the_table_says(void **state)
{
	struct option options[OPTIONS_MAX];
	struct run_spec spec;

	(void)state;
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++) {
		spec_init(&spec, *k);
		spec_options(*k, options);
		for (const struct option *o = options; o->name; o++)
			assert_true(!o->standard || option_is_standard(o, &spec));
	}
}

static void names_tell_what_is_not_the_default(void **state)
{
	struct option options[OPTIONS_MAX];
	struct run_spec spec;
	char usual[256], other[256];

	(void)state;
	spec_options(kernel_find("jacobi"), options);
	spec_init(&spec, kernel_find("jacobi"));
	spec.spares = 1;
	spec_name(&spec, false, usual, sizeof usual);
	assert_string_equal(usual, "jacobi-grid=256-steps=100-decomp=auto-np4-s1-none-i25");
	spec_name(&spec, true, other, sizeof other);
	assert_string_equal(other, "jacobi-grid=256-steps=100-decomp=auto-np4");
	for (const struct option *o = options; o->name; o++) {
		struct run_spec changed = spec;

		if (o->type == OPTION_OWN || o->given)
			continue;
		assert_int_equal(option_set(o, &changed, sample(o), &err), RB_OK);
		spec_name(&changed, false, other, sizeof other);
		assert_int_equal(strcmp(usual, other) != 0,
				 o->tag || o->of_kernel || strcmp(o->name, "strategy") == 0);
	}
	assert_int_equal(spec_set(&spec, "power", "dvfs+cm", &err), RB_OK);
	assert_int_equal(spec_set(&spec, "ckpt-lag", "sync", &err), RB_OK);
	assert_int_equal(spec_set(&spec, "ckpt", "file,buddy", &err), RB_OK);
	assert_int_equal(spec_set(&spec, "meters", "off", &err), RB_OK);
	spec_name(&spec, false, other, sizeof other);
	assert_string_equal(
		other,
		"jacobi-grid=256-steps=100-decomp=auto-np4-s1-none-dvfs+cm-i25-ckpt=file,buddy-lag=sync-meters=off");
	assert_int_equal(spec_set(&spec, "strategy", "restart", &err), RB_OK);
	spec_name(&spec, false, other, sizeof other);
	assert_non_null(strstr(other, "-np4-s1-restart-"));
}

/* Options that came later are in names only if they are not the default, so that the names and
 * records that there are stay. */
static void later_options_of_kernels_change_no_name(void **state)
{
	struct run_spec spec;
	char name[256];

	(void)state;
	spec_init(&spec, kernel_find("lulesh"));
	spec_name(&spec, true, name, sizeof name);
	assert_string_equal(name, "lulesh-edge=10-steps=0-buffers=double-np4");
	assert_int_equal(spec_set(&spec, "exchange", "all", &err), RB_OK);
	spec_name(&spec, true, name, sizeof name);
	assert_string_equal(name, "lulesh-edge=10-steps=0-buffers=double-exchange=all-np4");
}

static void values_out_of_range_are_refused_with_the_option(void **state)
{
	struct option options[OPTIONS_MAX];
	struct run_spec spec;
	char text[64], named[64];

	(void)state;
	spec_options(kernel_find("cg"), options);
	spec_init(&spec, kernel_find("cg"));
	for (const struct option *o = options; o->name; o++) {
		struct run_spec before = spec;

		if (o->type == OPTION_OWN || o->given)
			continue;
		snprintf(text, sizeof text, "%d", o->least > 0 ? 0 : -1);
		if (o->type == OPTION_TEXT) {
			memset(text, 'x', sizeof text);
			text[sizeof text - 1] = '\0';
		}
		if (o->type == OPTION_TEXT && (size_t)o->most == sizeof text)
			continue; /* such a text fits */
		assert_int_equal(option_set(o, &spec, text, &err), RB_EINVAL);
		snprintf(named, sizeof named, "--%s ", o->name);
		assert_memory_equal(err.text, named, strlen(named));
		assert_memory_equal(&before, &spec, sizeof spec);
	}
	assert_int_equal(spec_set(&spec, "ckpt-lag", "soon", &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "async, sync or a whole number from 0"));
	assert_int_equal(spec_set(&spec, "power", "nap", &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "none, sleep, dvfs, cm, dvfs+cm or slow-all"));
	assert_int_equal(spec_set(&spec, "frobnicate", "3", &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--class"));
}

static void texts_that_are_too_long_are_refused(void **state)
{
	char text[LEVELS_TEXT + SPEC_TEXT];
	struct run_spec spec;

	(void)state;
	memset(text, 'x', sizeof text);
	text[SPEC_TEXT] = '\0';
	spec_init(&spec, kernel_find("cg"));
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(spec_set(&spec, (const char *[]){ "policy", "ckpt", "class" }[i],
					  text, &err),
				 RB_EINVAL);
		assert_non_null(strstr(err.text, "too long"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(every_option_goes_round),
		cmocka_unit_test(defaults_are_what_the_table_says),
		cmocka_unit_test(names_tell_what_is_not_the_default),
		cmocka_unit_test(later_options_of_kernels_change_no_name),
		cmocka_unit_test(values_out_of_range_are_refused_with_the_option),
		cmocka_unit_test(texts_that_are_too_long_are_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

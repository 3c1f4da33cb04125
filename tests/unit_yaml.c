/* YAML files: nodes, their lines, and what is refused before or while libfyaml reads it. */
#include "base/clock.h"
#include "base/status.h"
#include "harness/spec/yaml.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static char path[96];
static struct rb_error err;

static int load(const char *text, size_t length, struct yaml_file **file)
{
	FILE *f;

	snprintf(path, sizeof path, "%s/file.yaml", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
	return yaml_load(path, "docs/page.md", file, &err);
}

static void nodes_know_their_lines(void **state)
{
	static const char text[] = "# a comment\n"
				   "name: \"caf\\u00e9\"\n"
				   "list: [1, 'two words',\n"
				   "  0x10]\r\n"
				   "one: 2.5e3\n"
				   "deep:\n"
				   "  - a: {}\n"
				   "    b: []\n"
				   "  -\n"
				   "    a: >-\n"
				   "      two\n"
				   "      lines\n";
	struct yaml_file *file;
	const struct yaml_node *list, *n = NULL;
	int64_t number;
	double real;
	int items = 0;

	(void)state;
	assert_int_equal(load(text, sizeof text - 1, &file), RB_OK);
	assert_string_equal(yaml_get(file->root, "name")->text, "caf\xc3\xa9");
	assert_null(yaml_get(file->root, "absent"));
	assert_int_equal(yaml_line(file, "name"), 2);
	assert_int_equal(yaml_line(file, "list[1]"), 3);
	assert_int_equal(yaml_line(file, "list[2]"), 4);
	assert_int_equal(yaml_line(file, "deep[0].b"), 8);
	assert_int_equal(yaml_line(file, "deep[1]"), 10);
	assert_string_equal(yaml_find(file, "deep[1].a")->text, "two lines");
	/* What is not there has the line of what it would be in. */
	assert_int_equal(yaml_line(file, "one[0]"), 5);
	assert_int_equal(yaml_line(file, "deep[0].absent[3]"), 7);
	assert_int_equal(yaml_line(file, "deep[7].a"), 6);
	list = yaml_get(file->root, "list");
	while ((n = yaml_next(list, n)) != NULL)
		items++;
	assert_int_equal(items, yaml_count(list));
	assert_int_equal(yaml_integer(file, list->last, 0, 16, &number, &err), RB_OK);
	assert_int_equal(number, 16);
	assert_int_equal(yaml_integer(file, list->last, 0, 15, &number, &err), RB_EINVAL);
	n = yaml_get(file->root, "one");
	assert_ptr_equal(yaml_next(n, NULL), n);
	assert_null(yaml_next(n, n));
	assert_int_equal(yaml_double(file, n, &real, &err), RB_OK);
	assert_true(real == 2500);
	assert_int_equal(yaml_integer(file, n, 0, 9999, &number, &err), RB_EINVAL);
	assert_string_equal(strrchr(err.text, '/') - 4, "docs/page.md)");
	yaml_free(file);
}

struct bad {
	const char *before, *middle; /* the middle, again and again until the file has `bytes` */
	const char *after;
	size_t bytes;
	const char *message; /* the end of the path included */
};

/* All of these hang, leak or mislead libfyaml 0.8 if they reach it, or take more than our limits. */
static const struct bad bad[] = {
	{ "a: |\n", "\n", "", 1 << 20, "yaml:102: more than 100 empty lines" },
	{ "a: \"b\n", " \t\n", " c\"", 1 << 20, "yaml:102: more than 100 empty lines" },
	{ "%", "x", "\n---\na: b\n", 1 << 19, "yaml:1: directives" },
	{ "", "%TAG ! tag:x\n", "---\na: b\n", 1 << 19, "yaml:1: directives" },
	{ "a: '", "''", "'\n", 1 << 10, "yaml:1: more than 8 single quotes" },
	{ "a: \"", "\xe2\x80\xa8", "\"\n", 100, "yaml:1: not YAML: a line ends" },
	{ "a: b\n# ", "\xff", "\n", 100, "yaml:2: not YAML: the text is not UTF-8" },
	{ "a: b\n# ", "\xc3", "\n", 99, "yaml:2: not YAML: the text is not UTF-8" },
	{ "a: b\n# ", "\1", "\n", 99, "yaml:2: not YAML: control" },
	{ "a: b\rc", ": d", "\n", 99, "yaml:1: not YAML: control" },
	{ "a: b\n\n", "x", "", (1 << 20) + 1, "yaml:1: larger than 1 MiB" },
	{ "a: ", "[", "", 1 << 20, "yaml:1: nested too deeply" },
	{ "a: ", "{b: ", "", 1 << 20, "yaml:1: nested too deeply" },
	{ "", "- ", "", 1 << 20, "yaml:1: nested too deeply" },
	{ "", "- a\n", "", 1 << 19, "yaml:100000: too many lines" },
	{ "a: b\n", "a: b\n", "", 11, "yaml:2: key twice" },
	{ "b:\n", "a:\n", "", 6, "yaml:1: expected a value of the key before" },
	{ "a: \"\\0", "b", "\"\n", 10, "yaml:1: a NUL character" },
	{ "a: &b", "c", "\n", 10, "yaml:1: anchors and aliases" },
	{ "---\na: b\n", "---\n", "a: b\n", 18, "yaml:3: a second document" },
	{ "%YAML 3.", "1", "\n---\na: b\n", 19, "yaml:1: directives" },
	{ "\n", "#", "\n", 4, "yaml:1: the file is empty" },
	{ "a: '", "b", "\n", 9, "yaml:1: not YAML: single-quoted" },
};

static void bad_files_are_refused_at_once(void **state)
{
	static char text[(1 << 20) + 16];

	(void)state;
	for (const struct bad *b = bad; b < bad + sizeof bad / sizeof *bad; b++) {
		size_t n = strlen(b->before), middle = strlen(b->middle), after = strlen(b->after);
		struct yaml_file *file;
		double begin;

		for (memcpy(text, b->before, n); n + middle + after <= b->bytes; n += middle)
			memcpy(text + n, b->middle, middle);
		memcpy(text + n, b->after, after);
		begin = clock_monotonic();
		assert_int_equal(load(text, n + after, &file), RB_EINVAL);
		assert_true(clock_monotonic() - begin < 10);
		assert_null(file);
		if (!strstr(err.text, b->message))
			fail_msg("expected \"%s\" in \"%s\"", b->message, err.text);
	}
}

static void texts_of_many_lines_are_whole(void **state)
{
	char text[2048] = "a: |\n", expected[1024] = "";
	struct yaml_file *file;

	(void)state;
	for (int i = 0; i < 200; i++) {
		strcat(text, i % 3 ? "  x\n" : "\n");
		strcat(expected, i % 3 ? "x\n" : "\n");
	}
	assert_int_equal(load(text, strlen(text), &file), RB_OK);
	assert_string_equal(file->root->first->text, expected);
	yaml_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_know_their_lines),
		cmocka_unit_test(bad_files_are_refused_at_once),
		cmocka_unit_test(texts_of_many_lines_are_whole),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

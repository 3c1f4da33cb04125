/* YAML files: nodes, their lines, and what is refused before or while libfyaml reads it. */
#include "base/clock.h"
#include "base/status.h"
#include "harness/options/yaml.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
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

/* The node at number `index` of the list. */
static const struct yaml_node *item(const struct yaml_node *list, int index)
{
	const struct yaml_node *n = yaml_next(list, NULL);

	while (n && index-- > 0)
		n = yaml_next(list, n);
	return n;
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
	const struct yaml_node *list, *deep, *one;
	struct yaml_file *file;

	(void)state;
	assert_int_equal(load(text, sizeof text - 1, &file), RB_OK);
	assert_string_equal(yaml_get(file->root, "name")->text, "caf\xc3\xa9");
	assert_null(yaml_get(file->root, "absent"));
	assert_int_equal(yaml_get(file->root, "name")->line, 2);
	list = yaml_get(file->root, "list");
	assert_int_equal(item(list, 1)->line, 3);
	assert_int_equal(item(list, 2)->line, 4);
	assert_null(item(list, 3));
	deep = yaml_get(file->root, "deep");
	assert_int_equal(yaml_get(item(deep, 0), "b")->line, 8);
	assert_int_equal(item(deep, 1)->line, 10);
	assert_string_equal(yaml_get(item(deep, 1), "a")->text, "two lines");
	one = yaml_get(file->root, "one");
	assert_ptr_equal(yaml_next(one, NULL), one); /* one value needs no brackets */
	assert_null(yaml_next(one, one));
	yaml_free(file);
}

/* A mapping is read into a struct by the rows of a table, and what is wrong is told with its
 * line. */
struct target {
	int64_t count;
	double seconds;
};

static const struct option rows[] = {
	{ .name = "count",
	  .key = "count",
	  .type = OPTION_LONG,
	  .at = offsetof(struct target, count),
	  .least = 0,
	  .most = 16 },
	{ .name = "seconds",
	  .key = "seconds",
	  .type = OPTION_SECONDS,
	  .at = offsetof(struct target, seconds) },
	{ .name = NULL },
};

static void a_mapping_is_read_by_a_table(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *told;
	} cases[] = {
		{ "count: 016\nseconds: 2.5e3\n", RB_OK, "" },
		{ "seconds: 2.5e3\ncount: 17\n", RB_EINVAL, "file.yaml:2: " },
		{ "count: 1.5\n", RB_EINVAL, "file.yaml:1: " },
		{ "count: 1\nother: 2\n", RB_EINVAL, "file.yaml:2: " },
		{ "count: 1\nseconds: -1\n", RB_EINVAL, "file.yaml:2: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct target target = { 0, 0 };
		struct yaml_file *file;

		assert_int_equal(load(cases[i].text, strlen(cases[i].text), &file), RB_OK);
		err.text[0] = '\0';
		assert_int_equal(yaml_read(file, file->root, rows, NULL, &target, &err),
				 cases[i].rc);
		if (!strstr(err.text, cases[i].told))
			fail_msg("%s: not told in \"%s\"", cases[i].told, err.text);
		if (cases[i].rc == RB_OK) {
			assert_int_equal(target.count, 16);
			assert_true(target.seconds == 2500);
		}
		yaml_free(file);
	}
}

struct bad {
	const char *before, *middle; /* the middle, again and again until the file has `bytes` */
	const char *after;
	size_t bytes;
	const char *message; /* the end of the path included */
};

/* All of these hang, leak or mislead libfyaml 0.8 if they reach it, or take more than our
 * limits. */
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
		cmocka_unit_test(a_mapping_is_read_by_a_table),
		cmocka_unit_test(bad_files_are_refused_at_once),
		cmocka_unit_test(texts_of_many_lines_are_whole),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

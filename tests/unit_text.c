/* Numbers from text: decimal, the whole text, and one normal form for what means the same. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void whole_numbers_are_decimal(void **state)
{
	static const struct {
		const char *text;
		int64_t number; /* -1: refused */
	} cases[] = {
		{ "0", 0 },    { "8", 8 },     { "08", 8 },   { "010", 10 },
		{ "", -1 },    { "0x10", -1 }, { "1e3", -1 }, { "10 ", -1 },
		{ " 1", -1 },  { "+1", -1 },   { "-0", -1 },  { "9223372036854775808", -1 },
		{ "100", -1 }, /* more than asked for */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t number = -1;

		if (text_integer(cases[i].text, 0, 99, &number) != (cases[i].number >= 0) ||
		    number != cases[i].number)
			fail_msg("%s is %lld", cases[i].text, (long long)number);
	}
}

static void real_numbers_are_decimal(void **state)
{
	static const struct {
		const char *text;
		double number; /* -1: refused */
		const char *rest;
	} cases[] = {
		{ "2", 2, "" },         { "010.5s", 10.5, "s" },  { ".5", 0.5, "" },
		{ "5.", 5, "" },        { "25e-1m", 2.5, "m" },   { "1e", 1, "e" },
		{ "1.2.3", 1.2, ".3" }, { "0x10", -1, "0x10" },   { "inf", -1, "inf" },
		{ "nan", -1, "nan" },   { "1e999", -1, "1e999" }, { " 1", -1, " 1" },
		{ "-1", -1, "-1" },     { ".", -1, "." },         { "", -1, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *at = cases[i].text;
		double number = -1;

		assert_int_equal(text_real(&at, &number), cases[i].number >= 0);
		assert_true(number >= cases[i].number && number <= cases[i].number);
		assert_string_equal(at, cases[i].rest);
	}
}

static void the_same_number_is_the_same_text(void **state)
{
	static const char *const cases[][2] = {
		{ "064", "64" },
		{ "02x0x010", "2x0x10" },
		{ "window:08", "window:8" },
		{ "budget:040%:clusters", "budget:40%:clusters" },
		{ "rs:04+02", "rs:4+2" },
		{ "file,buddy:01", "file,buddy:1" },
		{ "1,02,003", "1,2,3" },
		{ "000", "0" },
		{ "0.05", "0.05" },
		{ "0", "0" },
		{ "", "" },
		/* no numbers, but parts of names */
		{ "box07", "box07" },
		{ "007.csv", "007.csv" },
		{ "runs/007", "runs/007" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[64];

		snprintf(text, sizeof text, "%s", cases[i][0]);
		text_normal(text);
		assert_string_equal(text, cases[i][1]);
	}
}

static FILE *from_bytes(const char *bytes, size_t count)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, count), count);
	close(ends[1]);
	return fdopen(ends[0], "r");
}

static void a_line_has_no_end_and_no_byte_0(void **state)
{
	static const char bytes[] = "one\n\0--\n\nlonger than it fits\nlast";
	static const char *const lines[] = { "one", "--", "", "longer ", "last" };
	FILE *from = from_bytes(bytes, sizeof bytes - 1);
	char line[8];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		assert_true(text_line(from, line, sizeof line));
		assert_string_equal(line, lines[i]);
	}
	assert_false(text_line(from, line, sizeof line));
	fclose(from);
}

/* The mark is skipped where it is whole; also in a pipe, which cannot be rewound. */
static void a_byte_order_mark_is_skipped(void **state)
{
	static const struct {
		const char *text, *rest;
	} cases[] = {
		{ "\xef\xbb\xbf"
		  "a",
		  "a" },
		{ "\xef\xbb\xbf", "" },
		{ "\xef\xbb"
		  "a",
		  "\xef\xbb"
		  "a" },
		{ "\xef", "\xef" },
		{ "ab", "ab" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char rest[8] = "";
		FILE *from = from_bytes(cases[i].text, strlen(cases[i].text));

		text_skip_mark(from);
		assert_int_equal(fread(rest, 1, sizeof rest, from), strlen(cases[i].rest));
		assert_string_equal(rest, cases[i].rest);
		fclose(from);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_decimal),
		cmocka_unit_test(real_numbers_are_decimal),
		cmocka_unit_test(a_line_has_no_end_and_no_byte_0),
		cmocka_unit_test(a_byte_order_mark_is_skipped),
		cmocka_unit_test(the_same_number_is_the_same_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

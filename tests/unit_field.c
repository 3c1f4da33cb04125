/* Arrays of kernels: large ones begin at different lines of a page and ask for huge pages. */
#include "kernels/field.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LINE = 64, PAGE = 4096, LINES = PAGE / LINE, LARGE = (128 << 10) / 8, HUGE_ONE = 4 << 20 };

static void large_arrays_begin_at_different_lines(void **state)
{
	double *array[LINES];
	bool used[LINES] = { false };

	(void)state;
	for (int i = 0; i < LINES; i++) {
		const int64_t length = LARGE + 100 * i;
		size_t line;

		array[i] = field_new(length);
		assert_non_null(array[i]);
		assert_int_equal((uintptr_t)array[i] % LINE, 0);
		line = (uintptr_t)array[i] % PAGE / LINE;
		assert_false(used[line]);
		used[line] = true;
		if (i > 0) /* neither at the same line as the one before, nor beside it */
			assert_in_range(((uintptr_t)array[i] - (uintptr_t)array[i - 1]) % PAGE,
					2 * LINE, PAGE - 2 * LINE);
	}
	for (int i = 0; i < LINES; i++)
		field_free(array[i]);
}

/* All of an array is there, zero, and nobody else's. */
static void arrays_are_whole(void **state)
{
	static const int64_t length[] = {
		1, 7, 1000, LARGE - 1, LARGE, LARGE + 1, HUGE_ONE / 8 + 3
	};
	enum { COUNT = sizeof length / sizeof *length };
	double *array[2][COUNT];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COUNT; i++) {
			array[round][i] = field_new(length[i]);
			assert_non_null(array[round][i]);
			for (int64_t k = 0; k < length[i]; k++) {
				assert_true(array[round][i][k] == 0);
				array[round][i][k] = 1 + i + COUNT * round;
			}
		}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COUNT; i++) {
			for (int64_t k = 0; k < length[i]; k++)
				assert_true(array[round][i][k] == 1 + i + COUNT * round);
			field_free(array[round][i]);
		}
	field_free(NULL);
}

static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* In records, the heap of a process is what malloc() has given out. */
static void arrays_are_in_the_heap_and_take_a_page_more_at_most(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* mallinfo2() knows nothing of a sanitizer's memory */
#endif
	(void)state;
	for (int64_t length = 1000; length <= HUGE_ONE; length = length * 3 / 2) {
		const size_t before = allocated(), bytes = (size_t)length * sizeof(double),
			     more = length < LARGE ? 64 : 2 * PAGE;
		double *array = field_new(length);

		assert_non_null(array);
		assert_in_range(allocated() - before, bytes, bytes + more);
		field_free(array);
		assert_int_equal(allocated(), before);
	}
}

/* Is this address in a mapping that asks for huge pages? */
static bool advised(const void *address)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	bool in_it = false, found = false;

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		uintptr_t from, to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			in_it = from <= (uintptr_t)address && (uintptr_t)address < to;
		else if (in_it && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, " hg") != NULL;
	}
	fclose(f);
	return found;
}

static void the_largest_ask_for_huge_pages(void **state)
{
	double *array[] = { field_new(LARGE), field_new(HUGE_ONE / 8) };

	(void)state;
	assert_non_null(array[0]);
	assert_non_null(array[1]);
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0) {
		assert_false(advised(array[0])); /* it would be a mapping of its own for nothing */
		assert_true(advised(array[1]));
		assert_true(advised((char *)array[1] + HUGE_ONE - 1));
	}
	field_free(array[0]);
	field_free(array[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_arrays_begin_at_different_lines),
		cmocka_unit_test(arrays_are_whole),
		cmocka_unit_test(arrays_are_in_the_heap_and_take_a_page_more_at_most),
		cmocka_unit_test(the_largest_ask_for_huge_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

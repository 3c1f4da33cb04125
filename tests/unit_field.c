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

enum { LINE = 64, SPAN = 4096, LINES = SPAN / LINE };
enum { LARGE = (128 << 10) / 8, MIB = (1 << 20) / 8 }; /* doubles */

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
		line = (uintptr_t)array[i] % SPAN / LINE;
		assert_false(used[line]);
		used[line] = true;
		if (i > 0) /* neither at the same line as the one before, nor beside it */
			assert_in_range(((uintptr_t)array[i] - (uintptr_t)array[i - 1]) % SPAN,
					2 * LINE, SPAN - 2 * LINE);
	}
	for (int i = 0; i < LINES; i++)
		field_free(array[i]);
}

/* All of an array is there, zero also in memory that was used before, and nobody else's. */
static void arrays_are_whole(void **state)
{
	static const int64_t length[] = { 1, 7, 1000, LARGE - 1, LARGE, LARGE + 1, 4 * MIB + 3 };
	enum { COUNT = sizeof length / sizeof *length };
	double *array[COUNT];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNT; i++) {
			array[i] = field_new(length[i]);
			assert_non_null(array[i]);
			for (int64_t k = 0; k < length[i]; k++) {
				assert_true(array[i][k] == 0);
				array[i][k] = 1 + i;
			}
		}
		for (int i = 0; i < COUNT; i++) {
			for (int64_t k = 0; k < length[i]; k++)
				assert_true(array[i][k] == 1 + i);
			field_free(array[i]);
		}
	}
	field_free(NULL);
}

static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* In records, the heap of a process is what malloc() has given out. */
static void arrays_are_in_the_heap_and_take_little_more(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* mallinfo2() knows nothing of a sanitizer's memory */
#endif
	(void)state;
	for (int64_t length = 1000; length <= 4 * MIB; length = length * 3 / 2) {
		/* what malloc() maps is whole pages */
		const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = allocated(),
			     bytes = (size_t)length * sizeof(double),
			     more = (length < LARGE ? 0 : SPAN) + page + 64;
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
	FILE *f = fopen("/proc/self/smaps", "re");
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

/* First of all tests: memory that was used before may have been asked for. */
static void huge_pages_are_asked_for_where_an_array_covers_them(void **state)
{
	double *small = field_new(LARGE), *large = field_new(8 * MIB);
	char *inside = (char *)(((uintptr_t)large | ((2 << 20) - 1)) + 1);

	(void)state;
	assert_non_null(small);
	assert_non_null(large);
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0) {
		assert_false(advised(small));
		assert_false(advised(small + LARGE - 1));
		assert_true(advised(inside));
		assert_true(advised(inside + (4 << 20)));
	}
	field_free(small);
	field_free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(huge_pages_are_asked_for_where_an_array_covers_them),
		cmocka_unit_test(large_arrays_begin_at_different_lines),
		cmocka_unit_test(arrays_are_whole),
		cmocka_unit_test(arrays_are_in_the_heap_and_take_little_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

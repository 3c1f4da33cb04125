/* The arena: blocks never move, and large ones lie where the system gives huge pages. */
#include "ft/log/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { KIB = 1 << 10, PAGE = 4 * KIB, HUGE_PAGE = 2048 * KIB };

static bool at_huge_pages(const struct arena *a)
{
	return (uintptr_t)a->current % HUGE_PAGE == 0;
}

static void large_blocks_lie_in_whole_huge_pages(void **state)
{
	struct arena a = { .first = NULL };
	char *block[40];
	size_t small;

	(void)state;
	assert_non_null(arena_take(&a, 100));
	small = arena_mapped(&a);
	assert_true(small < HUGE_PAGE); /* small ones do not take so much */
	for (int i = 0; i < 40; i++) {
		block[i] = arena_take(&a, 150 * KIB);
		assert_non_null(block[i]);
		memset(block[i], i, 150 * KIB);
		assert_true(at_huge_pages(&a));
		assert_int_equal((arena_mapped(&a) - small) % HUGE_PAGE, 0);
	}
	for (int i = 0; i < 40; i++)
		assert_int_equal(block[i][150 * KIB - 1], i);
	arena_free(&a);
}

static void chunks_that_have_grown_so_large_are_whole_huge_pages(void **state)
{
	struct arena a = { .first = NULL };
	size_t before = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		const size_t mapped = arena_mapped(&a);

		assert_non_null(arena_take(&a, 1 * KIB));
		if (arena_mapped(&a) > mapped)
			before = mapped;
	}
	assert_true(before >= HUGE_PAGE);
	assert_true(at_huge_pages(&a));
	assert_int_equal((arena_mapped(&a) - before) % HUGE_PAGE, 0);
	arena_free(&a);
}

/* Bytes of address space of this process. */
static size_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%zu", &pages), 1);
	fclose(f);
	return pages * PAGE;
}

static void a_reserved_arena_begins_at_a_huge_page_and_has_its_size(void **state)
{
	(void)state;
	address_space(); /* reading it may map memory once */
	for (size_t bytes = HUGE_PAGE; bytes < 3 * HUGE_PAGE; bytes += HUGE_PAGE / 2) {
		const size_t before = address_space();
		struct arena a = { .first = NULL };

		assert_int_equal(arena_reserve(&a, bytes), 0);
		assert_in_range(arena_mapped(&a), bytes, bytes + PAGE);
		assert_int_equal(address_space() - before, arena_mapped(&a));
		assert_int_equal((uintptr_t)a.first % HUGE_PAGE, 0);
		memset(arena_take(&a, bytes), 1, bytes);
		arena_free(&a);
		assert_int_equal(address_space(), before);
	}
}

static void a_new_beginning_takes_the_same_memory(void **state)
{
	struct arena a = { .first = NULL };
	size_t mapped = 0;

	(void)state;
	for (int round = 0; round < 4; round++) {
		arena_reset(&a);
		for (int i = 0; i < 100; i++)
			assert_non_null(arena_take(&a, (size_t)(i % 7) * 20 * KIB));
		if (round > 0)
			assert_int_equal(arena_mapped(&a), mapped);
		mapped = arena_mapped(&a);
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_blocks_lie_in_whole_huge_pages),
		cmocka_unit_test(chunks_that_have_grown_so_large_are_whole_huge_pages),
		cmocka_unit_test(a_reserved_arena_begins_at_a_huge_page_and_has_its_size),
		cmocka_unit_test(a_new_beginning_takes_the_same_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The option --stores: what a core's share of the last-level cache is, and who streams. */
#include "kernels/stores.h"
#include "kernels/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { CACHES = 4, PATH = 512 };

/* Of one cache in the folder of Linux; level NULL: there is no more. */
struct cache {
	const char *level, *type, *size, *units;
};

static const char *const files[] = { "level", "type", "size", "shared_cpu_map" };

static void path_of(const char *folder, int i, const char *name, char path[PATH])
{
	snprintf(path, PATH, "%s/index%d%s%s", folder, i, *name ? "/" : "", name);
}

static void write_cache(const char *folder, int i, const struct cache *c)
{
	const char *const lines[] = { c->level, c->type, c->size, c->units };
	char path[PATH];

	path_of(folder, i, "", path);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int k = 0; k < 4; k++) {
		FILE *f;

		path_of(folder, i, files[k], path);
		f = lines[k] ? fopen(path, "w") : NULL;
		if (f) {
			fprintf(f, "%s\n", lines[k]);
			fclose(f);
		}
	}
}

static size_t share_of(const struct cache cache[CACHES])
{
	const char *tmp = getenv("TMPDIR");
	char folder[PATH - 32], path[PATH];
	size_t share;

	snprintf(folder, sizeof folder, "%s/stores-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < CACHES && cache[i].level; i++)
		write_cache(folder, i, &cache[i]);
	share = stores_cache_share(folder);
	for (int i = 0; i < CACHES; i++) {
		for (int k = 0; k < 4; k++) {
			path_of(folder, i, files[k], path);
			unlink(path);
		}
		path_of(folder, i, "", path);
		rmdir(path);
	}
	assert_int_equal(rmdir(folder), 0);
	return share;
}

#define L1D(units) { "1", "Data", "32K", units }
#define L1I { "1", "Instruction", "32K", "1" }

static void a_core_has_its_share_of_the_last_level(void **state)
{
	static const struct {
		struct cache cache[CACHES];
		size_t share;
	} cases[] = {
		/* eight cores, one thread each, and two */
		{ { L1D("01"),
		    L1I,
		    { "2", "Unified", "1024K", "01" },
		    { "3", "Unified", "32M", "ff" } },
		  4 << 20 },
		{ { L1D("00000000,00000101"),
		    L1I,
		    { "2", "Unified", "1024K", "00000000,00000101" },
		    { "3", "Unified", "32768K", "00000000,0000ffff" } },
		  4 << 20 },
		{ { L1D("1"), L1I, { "2", "Unified", "2048K", "f" } }, 512 << 10 },
		/* levels in another order; instructions last */
		{ { { "2", "Unified", "1M", "1" }, L1D("1"), L1I }, 0 },
		{ { L1D("1"), { "2", "Unified", "1M", "1" }, L1I }, 1 << 20 },
		/* what cannot be read is not known */
		{ { { NULL, NULL, NULL, NULL } }, 0 },
		{ { L1D("1"), { "2", "Unified", "big", "1" } }, 0 },
		{ { L1D("1"), { "2", "Unified", "1MB", "1" } }, 0 },
		{ { L1D("1"), { "2", "Unified", NULL, "1" } }, 0 },
		{ { L1D("1"), { "2", "Unified", "1M", NULL } }, 0 },
		{ { L1D("1"), { "2", "Unified", "1M", "0" } }, 0 },
		{ { L1D("0"), { "2", "Unified", "1M", "1" } }, 0 },
	};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		if (share_of(cases[k].cache) != cases[k].share)
			fail_msg("case %zu: %zu instead of %zu", k, share_of(cases[k].cache),
				 cases[k].share);
	assert_int_equal(stores_cache_share("/nowhere"), 0);
}

static void arrays_above_the_share_are_streamed(void **state)
{
	(void)state;
	assert_false(stores_stream(STORES_AUTO, 999, 1000));
	assert_false(stores_stream(STORES_AUTO, 1000, 1000));
	assert_true(stores_stream(STORES_AUTO, 1001, 1000));
	assert_false(stores_stream(STORES_AUTO, (size_t)1 << 40, 0));
	assert_true(stores_stream(STORES_STREAMING, 1, 1000));
	assert_false(stores_stream(STORES_CACHED, 1001, 1000));
}

static void the_option_says_which(void **state)
{
	static const char *const words[] = { NULL, "auto", "cached", "streaming" };
	static const enum stores meant[] = { STORES_AUTO, STORES_AUTO, STORES_CACHED,
					     STORES_STREAMING };
	struct rb_error err = { .text = "" };
	enum stores found;
	bool stream;

	(void)state;
	for (int k = 0; k < 4; k++) {
		const struct kernel_args args = { { NULL, words[k] } };

		assert_int_equal(stores_argument(&args, 1, &found, &err), RB_OK);
		assert_int_equal(found, meant[k]);
		if (vector_streams() || meant[k] != STORES_STREAMING) {
			assert_int_equal(stores_choose(&args, 1, 8, &stream, &err), RB_OK);
			assert_true(stream == (meant[k] == STORES_STREAMING));
		} else {
			assert_int_equal(stores_choose(&args, 1, 8, &stream, &err), RB_EINVAL);
		}
	}
	assert_int_equal(stores_argument(&(struct kernel_args){ { "stream" } }, 0, NULL, &err),
			 RB_EINVAL);
	assert_non_null(strstr(err.text, "--stores stream: expected auto"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_core_has_its_share_of_the_last_level),
		cmocka_unit_test(arrays_above_the_share_are_streamed),
		cmocka_unit_test(the_option_says_which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

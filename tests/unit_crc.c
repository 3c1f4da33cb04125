/* The checksums have the standard's values, and ISA-L and the code that stands in for it agree. */
#include "base/crc.h"
#include "base/mix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The code of a build without ISA-L, under other names. */
#undef HAVE_ISAL
#define HAVE_ISAL 0
#define crc_ieee own_ieee
#define crc_castagnoli own_castagnoli
uint32_t own_ieee(uint32_t crc, const void *data, size_t bytes);
uint32_t own_castagnoli(uint32_t crc, const void *data, size_t bytes);
#include "base/crc.c" /* NOLINT */
#undef crc_ieee
#undef crc_castagnoli

enum { ROOM = 4096, TIMES = 2000 };

static void check_values(void **state)
{
	(void)state;
	assert_int_equal(crc_ieee(0, "123456789", 9), 0xcbf43926u);
	assert_int_equal(own_ieee(0, "123456789", 9), 0xcbf43926u);
	assert_int_equal(crc_castagnoli(0, "123456789", 9), 0xe3069283u);
	assert_int_equal(own_castagnoli(0, "123456789", 9), 0xe3069283u);
	assert_int_equal(own_ieee(17, "", 0), 17);
}

/* All lengths and places in memory, and in two parts as well as in one. */
static void both_agree(void **state)
{
	uint64_t seed = 1;
	unsigned char *data = malloc(ROOM);

	(void)state;
	assert_non_null(data);
	for (int i = 0; i < ROOM; i++)
		data[i] = (unsigned char)mix_draw(&seed);
	for (int i = 0; i < TIMES; i++) {
		const size_t at = mix_draw(&seed) % 64,
			     bytes = mix_draw(&seed) % (i % 2 ? 40 : ROOM - 64);
		const size_t cut = bytes ? mix_draw(&seed) % bytes : 0;
		const uint32_t before = (uint32_t)mix_draw(&seed),
			       ieee = crc_ieee(before, data + at, bytes),
			       castagnoli = crc_castagnoli(before, data + at, bytes);

		assert_int_equal(own_ieee(before, data + at, bytes), ieee);
		assert_int_equal(own_castagnoli(before, data + at, bytes), castagnoli);
		assert_int_equal(
			own_ieee(own_ieee(before, data + at, cut), data + at + cut, bytes - cut),
			ieee);
		assert_int_equal(crc_castagnoli(crc_castagnoli(before, data + at, cut),
						data + at + cut, bytes - cut),
				 castagnoli);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_values),
		cmocka_unit_test(both_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

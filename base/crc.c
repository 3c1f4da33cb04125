#include "base/crc.h"

#if HAVE_ISAL

#include <isa-l/crc.h>

enum { CRC_MAX = 1 << 30 };

uint32_t crc_ieee(uint32_t crc, const void *data, size_t bytes)
{
	return crc32_gzip_refl(crc, data, bytes);
}

/* crc32_iscsi takes an int length, so long regions go through it in pieces. */
uint32_t crc_castagnoli(uint32_t crc, const void *data, size_t bytes)
{
	unsigned char *at = (unsigned char *)(uintptr_t)data;

	crc = ~crc;
	while (bytes > 0) {
		size_t n = bytes < CRC_MAX ? bytes : CRC_MAX;

		crc = crc32_iscsi(at, (int)n, crc);
		at += n;
		bytes -= n;
	}
	return ~crc;
}

#else

enum { AT_ONCE = 8 };

/* table[k][b]: what byte b does to the remainder after k more bytes of zeros. */
struct table {
	uint32_t at[AT_ONCE][256];
};

static struct table ieee, castagnoli;

/* polynomial: its bits in reverse order, as the checksums take each byte from its lowest bit on. */
static void fill(struct table *t, uint32_t polynomial)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
		t->at[0][b] = crc;
	}
	for (int k = 1; k < AT_ONCE; k++)
		for (int b = 0; b < 256; b++)
			t->at[k][b] = t->at[k - 1][b] >> 8 ^ t->at[0][t->at[k - 1][b] & 255];
}

/* Before main(), so that threads find them. */
__attribute__((constructor)) static void fill_tables(void)
{
	fill(&ieee, 0xedb88320u);
	fill(&castagnoli, 0x82f63b78u);
}

static uint32_t eight(const struct table *t, uint32_t crc, const unsigned char *at)
{
	crc ^= at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
	return t->at[7][crc & 255] ^ t->at[6][crc >> 8 & 255] ^ t->at[5][crc >> 16 & 255] ^
	       t->at[4][crc >> 24] ^ t->at[3][at[4]] ^ t->at[2][at[5]] ^ t->at[1][at[6]] ^
	       t->at[0][at[7]];
}

static uint32_t advance(const struct table *t, uint32_t crc, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	crc = ~crc;
	for (; bytes >= AT_ONCE; bytes -= AT_ONCE, at += AT_ONCE)
		crc = eight(t, crc, at);
	for (; bytes > 0; bytes--, at++)
		crc = crc >> 8 ^ t->at[0][(crc ^ *at) & 255];
	return ~crc;
}

uint32_t crc_ieee(uint32_t crc, const void *data, size_t bytes)
{
	return advance(&ieee, crc, data, bytes);
}

uint32_t crc_castagnoli(uint32_t crc, const void *data, size_t bytes)
{
	return advance(&castagnoli, crc, data, bytes);
}

#endif

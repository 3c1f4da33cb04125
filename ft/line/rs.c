#include "ft/line/rs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void rs_group_of(struct rs_group *g, int np, int role, int k, int m)
{
	int groups = np / (k + m);

	memset(g, 0, sizeof *g);
	for (int r = role % groups; r < np; r += groups) {
		if (r == role)
			g->me = g->size;
		g->role[g->size++] = r;
	}
	g->m = m;
	g->k = g->size - m;
}

int rs_place(const struct rs_group *g, int s, int i)
{
	return (i - s + g->size) % g->size;
}

int rs_stripe(const struct rs_group *g, int i, int place)
{
	return (i - place + g->size) % g->size;
}

int rs_member(const struct rs_group *g, int s, int place)
{
	return (s + place) % g->size;
}

#if HAVE_ISAL

#include <isa-l/erasure_code.h>

enum { TABLE = 32, PIECE = 1 << 20 }; /* bytes of a table for each coefficient; lengths are int */

static void make_matrix(const struct rs_group *g, unsigned char *matrix)
{
	gf_gen_cauchy1_matrix(matrix, g->size, g->k);
}

void rs_add(const struct rs_group *g, int j, int place, const void *chunk, size_t bytes,
	    void *parity)
{
	unsigned char matrix[RS_GROUP_MAX * RS_GROUP_MAX], table[RS_GROUP_MAX * TABLE];
	unsigned char *in = (unsigned char *)(uintptr_t)chunk, *out = parity;

	make_matrix(g, matrix);
	ec_init_tables(g->k, 1, matrix + (g->k + j) * g->k, table);
	while (bytes > 0) {
		size_t n = bytes < PIECE ? bytes : PIECE;

		ec_encode_data_update((int)n, g->k, 1, place, table, in, &out);
		in += n;
		out += n;
		bytes -= n;
	}
}

/* The inverted rows of the given places yield the data; a lost parity is computed from the data. */
static void recovery_row(const struct rs_group *g, int lost, const int *place, unsigned char *row)
{
	unsigned char matrix[RS_GROUP_MAX * RS_GROUP_MAX], rows[RS_GROUP_MAX * RS_GROUP_MAX];
	unsigned char inverse[RS_GROUP_MAX * RS_GROUP_MAX];
	int k = g->k;

	make_matrix(g, matrix);
	for (int i = 0; i < k; i++)
		memcpy(rows + i * k, matrix + place[i] * k, (size_t)k);
	gf_invert_matrix(rows, inverse, k);
	for (int c = 0; c < k; c++) {
		row[c] = 0;
		for (int i = 0; i < k; i++)
			row[c] ^= gf_mul(matrix[lost * k + i], inverse[i * k + c]);
	}
}

void rs_recover(const struct rs_group *g, int lost, const int *place, void *const *block,
		size_t bytes, void *out)
{
	unsigned char row[RS_GROUP_MAX], table[RS_GROUP_MAX * TABLE], *in[RS_GROUP_MAX], *to = out;

	recovery_row(g, lost, place, row);
	ec_init_tables(g->k, 1, row, table);
	for (size_t at = 0; at < bytes; at += PIECE) {
		size_t n = bytes - at < PIECE ? bytes - at : PIECE;

		for (int i = 0; i < g->k; i++)
			in[i] = (unsigned char *)block[i] + at;
		ec_encode_data((int)n, g->k, 1, table, in, &to);
		to += n;
	}
}

#else /* levels_parse() lets nobody come here */

void rs_add(const struct rs_group *g, int j, int place, const void *chunk, size_t bytes,
	    void *parity)
{
	(void)g, (void)j, (void)place, (void)chunk, (void)bytes, (void)parity;
	abort();
}

void rs_recover(const struct rs_group *g, int lost, const int *place, void *const *block,
		size_t bytes, void *out)
{
	(void)g, (void)lost, (void)place, (void)block, (void)bytes, (void)out;
	abort();
}

#endif

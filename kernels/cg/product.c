/* Messages of a process row, and the product of the matrix and a vector. */
#include "base/status.h"
#include "kernels/cg/state.h"

#include <string.h>

enum { TAG_ROW = 0, TAG_TRANSPOSE = 2, TAG_DOT = 4 };

static struct msg_group row_of(const struct kernel_state *s)
{
	return (struct msg_group){ s->row_group, s->grid.npcols, s->grid.col };
}

int cg_row_sum(struct kernel_state *s, struct msg *m, double *v, size_t n)
{
	const struct msg_group row = row_of(s);
	double scratch[4];

	return msg_sum(m, &s->reduce, &row, TAG_DOT, v, n, scratch);
}

int cg_gather_product(struct kernel_state *s, struct msg *m)
{
	const struct grid *g = &s->grid;
	const struct msg_group row = row_of(s);
	size_t send = (size_t)g->half_length * sizeof *s->w;
	double *out;

	msg_part(m, MSG_EXCHANGE, "sum of w over the row of roles");
	RB_TRY(msg_sum(m, &s->reduce, &row, TAG_ROW, s->w, (size_t)(g->row1 - g->row0),
		       s->w_other));
	msg_part(m, MSG_EXCHANGE, "q = w of the transposed role");
	if (g->partner == msg_role(m)) {
		if (s->w)
			memcpy(s->q, s->w + g->half, send);
		msg_copied(m, send);
		return RB_OK;
	}
	msg_post(m, g->partner, TAG_TRANSPOSE, s->q, (size_t)s->length * sizeof *s->q);
	out = msg_reserve(m, g->partner, TAG_TRANSPOSE, send);
	if (s->w)
		memcpy(out, s->w + g->half, send);
	RB_TRY(msg_push(m));
	return msg_wait(m);
}

int cg_multiply(struct kernel_state *s, struct msg *m, const double *v)
{
	matrix_multiply(&s->constants->a, v, s->w);
	return cg_gather_product(s, m);
}

double cg_dot(const double *restrict a, const double *restrict b, int64_t n)
{
	double even = 0, odd = 0;
	int64_t k = 0;

	for (; k + 1 < n; k += 2) {
		even += a[k] * b[k];
		odd += a[k + 1] * b[k + 1];
	}
	if (k < n)
		even += a[k] * b[k];
	return even + odd;
}

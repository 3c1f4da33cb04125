/* The state of one role of CG, and the sums and products that all roles of a process row compute
 * together. */
#ifndef KERNELS_CG_STATE_H
#define KERNELS_CG_STATE_H

#include "contract/kernel.h"
#include "kernels/cg/grid.h"
#include "kernels/cg/matrix.h"
#include "kernels/shared.h"

/* What changes only when an iteration commits, besides the vectors. */
struct scalars {
	double rho;   /* r.r */
	double zeta;  /* of the last complete outer iteration */
	double rnorm; /* ||x - A z|| there */
	int64_t steps;
};

/* What never changes. */
struct constants {
	struct shared shared;
	struct matrix a;
};

struct kernel_state {
	const struct matrix_class *class;
	struct grid grid;
	struct constants *constants;
	int *row_group;                            /* the roles of this process row */
	struct msg_shape reduce;                   /* of sums over it */
	int64_t length;                            /* of this role's segment */
	double *x, *z, *p, *r;                     /* committed */
	double *x_next, *z_next, *p_next, *r_next; /* written by step() */
	double *q;                                 /* A p, this role's segment */
	double *w, *w_other;                       /* row block: A p summed over the process row */
	struct scalars now, next;
	bool closes; /* the iteration in *_next ends an outer iteration */
};

/* Sum over the process row: its members hold all segments once. RB_OK, or the failure of a
 * message. */
int cg_row_sum(struct kernel_state *s, struct msg *m, double *v, size_t n);
/* Sum partial products over the process row, then fetch the segment of this role's column from the
 * partner, into s->q. s->w NULL: the message calls only. RB_OK, or the failure of a message. */
int cg_gather_product(struct kernel_state *s, struct msg *m);
/* q = A v; overwrites w, too. RB_OK, or the failure of a message. */
int cg_multiply(struct kernel_state *s, struct msg *m, const double *v);
double cg_dot(const double *restrict a, const double *restrict b, int64_t n);

#endif

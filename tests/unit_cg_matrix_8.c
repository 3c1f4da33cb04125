/* The same with vectors of 8, on every processor. */
#define VECTOR_DOUBLES 8
#define matrix_multiply matrix_multiply_8 /* beside that of the kernel */
#include "kernels/cg/multiply.c"

#include "tests/unit_cg_matrix.c"

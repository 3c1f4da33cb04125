/* The same with vectors of 4, on every processor. */
#define VECTOR_DOUBLES 4
#define matrix_multiply matrix_multiply_4 /* beside that of the kernel */
#include "kernels/cg/multiply.c"

#include "tests/unit_cg_matrix.c"

/* The same with vectors of 2, on every processor. */
#define VECTOR_DOUBLES 2
#define matrix_multiply matrix_multiply_2 /* beside that of the kernel */
#include "kernels/cg/multiply.c"

#include "tests/unit_cg_matrix.c"

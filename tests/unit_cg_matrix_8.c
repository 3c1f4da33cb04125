/* The same with vectors of 8, on every processor. */
#define VECTOR_DOUBLES 8
#define matrix_build matrix_build_8 /* beside those of the kernel */
#define matrix_of_rows matrix_of_rows_8
#define matrix_of matrix_of_8
#define matrix_free matrix_free_8
#define matrix_multiply matrix_multiply_8
#include "kernels/cg/matrix.c"

#include "tests/unit_cg_matrix.c"

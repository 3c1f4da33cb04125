/* The same with vectors of 4, on every processor. */
#define VECTOR_DOUBLES 4
#define matrix_build matrix_build_4 /* beside those of the kernel */
#define matrix_of_rows matrix_of_rows_4
#define matrix_of matrix_of_4
#define matrix_free matrix_free_4
#define matrix_multiply matrix_multiply_4
#include "kernels/cg/matrix.c"

#include "tests/unit_cg_matrix.c"

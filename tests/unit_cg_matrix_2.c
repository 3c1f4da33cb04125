/* The same with vectors of 2, on every processor. */
#define VECTOR_DOUBLES 2
#define matrix_build matrix_build_2 /* beside those of the kernel */
#define matrix_of_rows matrix_of_rows_2
#define matrix_of matrix_of_2
#define matrix_free matrix_free_2
#define matrix_multiply matrix_multiply_2
#include "kernels/cg/matrix.c"

#include "tests/unit_cg_matrix.c"

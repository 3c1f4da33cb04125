/* The same with vectors of 8, on every processor. */
#define VECTOR_DOUBLES 8
#define sweep_inner sweep_inner_8 /* beside those of the kernel */
#define sweep_edge sweep_edge_8
#include "kernels/jacobi/sweep.c"

#include "tests/unit_jacobi_sweep.c"

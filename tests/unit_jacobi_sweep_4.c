/* The same with vectors of 4, on every processor. */
#define VECTOR_DOUBLES 4
#define sweep_inner sweep_inner_4 /* beside those of the kernel */
#define sweep_edge sweep_edge_4
#include "kernels/jacobi/sweep.c"

#include "tests/unit_jacobi_sweep.c"

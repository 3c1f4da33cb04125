/* The same with vectors of 2, on every processor. */
#define VECTOR_DOUBLES 2
#define sweep_inner sweep_inner_2 /* beside those of the kernel */
#define sweep_edge sweep_edge_2
#include "kernels/jacobi/sweep.c"

#include "tests/unit_jacobi_sweep.c"

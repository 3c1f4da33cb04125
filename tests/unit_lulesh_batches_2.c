/* The same with 2 lanes, on every processor. */
#define VECTOR_DOUBLES 2
#include "tests/unit_lulesh_batches.c"

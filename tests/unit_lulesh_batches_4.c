/* The same with 4 lanes, on every processor. */
#define VECTOR_DOUBLES 4
#include "tests/unit_lulesh_batches.c"

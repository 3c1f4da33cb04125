/* The same with 2 lanes, on every processor. */
#define LULESH_LANES 2
#include "tests/unit_lulesh_batches.c"

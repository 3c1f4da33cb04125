/* The same with 4 lanes, on every processor. */
#define LULESH_LANES 4
#include "tests/unit_lulesh_batches.c"

/* The kinds of runs. */
#include "harness/cli/commands.h"
#include "harness/kind/elc/elc_run.h"
#include "harness/kind/engine/engine_run.h"

/* engine takes every run that no other kind takes. */
const struct kind *const all_kinds[] = { &elc_kind, &engine_kind, NULL };

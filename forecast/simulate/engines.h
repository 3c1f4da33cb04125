/* forecast/simulate/engines.h - the engines of the simulator by name. */
#ifndef FORECAST_SIMULATE_ENGINES_H
#define FORECAST_SIMULATE_ENGINES_H

#include "forecast/time/model.h"

#include <stdbool.h>

enum engine { ENGINE_FAST, ENGINE_SIMGRID, ENGINES };
const char *engine_name(int engine); /* NULL: there are no more */

/* Can this program play that engine? Not SimGrid: then become the program that can, with the same
 * arguments. argv[0]: the command. Returns RB_OK, or RB_EINVAL with the reason. */
int engine_reach(enum engine engine, char **argv, struct rb_error *err);
/* As simulate_fast(). threads: of ENGINE_FAST. */
int engine_call(enum engine engine, int threads, const struct model *m, const struct failure *list,
		size_t count, struct result *r, struct rb_error *err);

#endif

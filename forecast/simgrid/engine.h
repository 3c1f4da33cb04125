/* forecast/simgrid/engine.h - the model of forecast/time/model.h, played by actors of SimGrid.
 *
 * It shares the model's numbers and the decision (forecast/time/decision.h) with the engine `fast`,
 * and nothing else: roles and duplicates are actors that compute on hosts, messages are transfers
 * between hosts, and a repair ends actors and starts new ones. Everything happens in one
 * simulation. */
#ifndef FORECAST_SIMGRID_ENGINE_H
#define FORECAST_SIMGRID_ENGINE_H

#include "forecast/time/model.h"

/* As simulate_fast() (forecast/fast/fast.h), and with m->platform also where roles share cores
 * and links. Then times are rounded up to whole ticks. r->host_energy_j is set if there are watts.
 * RB_EINVAL also if the run is longer than 2^52 ticks, and RB_EIO if no temporary file can be
 * written. A process can call it once, since SimGrid has one platform a process. */
int simulate_simgrid(const struct model *m, const struct failure *list, size_t count,
		     struct result *r, struct rb_error *err);

/* Of the last simulation: the capped waits in iterations that a repair broke off. They count as
 * waits (docs/simulator.md), while SimGrid's account of energy has them as capped. */
double simgrid_capped_broken_off_s(void);

#endif

/* forecast/simulate/simulation_options.h - the options of `rollbench simulate`, for a command line
 * and for a file. */
#ifndef FORECAST_SIMULATE_SIMULATION_OPTIONS_H
#define FORECAST_SIMULATE_SIMULATION_OPTIONS_H

#include "forecast/simulate/simulation.h"
#include "harness/options/command.h"

/* Fill s->table: the options, and behind them those of the kernel (NULL: a stencil). In a file,
 * names have no dashes. */
void simulation_table(struct simulation *s, const struct kernel_ops *kernel, bool in_file);
/* The command, by the table. */
struct command simulation_command(struct simulation *s);

#endif

/* forecast/simulate/simulation_parse.h - the command line of `rollbench simulate`, and the model
 * file that it names. */
#ifndef FORECAST_SIMULATE_SIMULATION_PARSE_H
#define FORECAST_SIMULATE_SIMULATION_PARSE_H

#include "forecast/simulate/simulation.h"

/* Read a command line, and the file that it names. If s->against is set behind it, nothing else is.
 * RB_OK; RB_EINVAL with a message that names the option or file:line; 1: help was asked for.
 * simulation_free() in any case. */
int simulation_parse(struct simulation *s, int argc, char **argv, struct rb_error *err);
void simulation_free(struct simulation *s);
/* The same for point i of the file of `all`, whose command line is read again behind it. Texts are
 * those of `all`, so `all` must outlive s. */
int simulation_parse_point(struct simulation *s, const struct simulation *all, size_t i, int argc,
			   char **argv, struct rb_error *err);

#endif

/* forecast/simulate/quantity.h - numbers with units: "50us", "0.8 MB", "1 Gbit/s", "125 W". */
#ifndef FORECAST_SIMULATE_QUANTITY_H
#define FORECAST_SIMULATE_QUANTITY_H

#include <stdbool.h>

enum dimension { IN_SECONDS, IN_BYTES, IN_BYTES_PER_S, IN_WATTS };

/* What it is called in messages, with examples of units. */
const char *dimension_help(enum dimension d);

/* In s, bytes, bytes/s or W, from 0 on. Blanks may stand before the unit. Without a unit the number
 * is in these; with `strict` that is an error. false: it is no such quantity. */
bool quantity_parse(const char *text, enum dimension d, bool strict, double *out);

#endif

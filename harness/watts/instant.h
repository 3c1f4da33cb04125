/* harness/watts/instant.h - a time of the wall clock as text. */
#ifndef HARNESS_WATTS_INSTANT_H
#define HARNESS_WATTS_INSTANT_H

#include <stdbool.h>

enum { INSTANT_TEXT = 40 };

/* Seconds since the epoch from the whole text: a number of them, perhaps with a fraction, or a date
 * and time of ISO 8601 with its zone ("2026-01-31T12:00:00.5Z", "2026-01-31 13:00:00+01:00"). A
 * date without a zone is none. */
bool instant_parse(const char *text, double *out);
/* As "2026-01-31T12:00:00.500Z". */
void instant_format(double t, char out[INSTANT_TEXT]);

#endif

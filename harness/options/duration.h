/* harness/options/duration.h - spans of time as people write and read them. */
#ifndef HARNESS_OPTIONS_DURATION_H
#define HARNESS_OPTIONS_DURATION_H

#include <stdbool.h>

enum { DURATION_TEXT = 32 };

/* "90", "90s", "10m" or "1.5h" in seconds, more than 0 and at most ten years. false: it is none of
 * these. */
bool duration_parse(const char *text, double *seconds);
/* "0.8 s", "12 s", "3:05 min", "2:10 h", "3.4 days". */
void duration_format(double seconds, char out[DURATION_TEXT]);

#endif

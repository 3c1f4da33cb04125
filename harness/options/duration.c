#include "harness/options/duration.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool duration_parse(const char *text, double *seconds)
{
	static const double ten_years = 10 * 365.25 * 86400;
	double value;

	if (!text_real(&text, &value))
		return false;
	if (strcmp(text, "m") == 0)
		value *= 60;
	else if (strcmp(text, "h") == 0)
		value *= 3600;
	else if (*text && strcmp(text, "s") != 0)
		return false;
	if (value <= 0 || value > ten_years)
		return false;
	*seconds = value;
	return true;
}

void duration_format(double seconds, char out[DURATION_TEXT])
{
	long whole = (long)fmin(seconds + 0.5, 1e15);

	if (seconds < 9.95)
		snprintf(out, DURATION_TEXT, "%.1f s", seconds);
	else if (whole < 120)
		snprintf(out, DURATION_TEXT, "%ld s", whole);
	else if (whole < 7200)
		snprintf(out, DURATION_TEXT, "%ld:%02ld min", whole / 60, whole % 60);
	else if (whole < 172800)
		snprintf(out, DURATION_TEXT, "%ld:%02ld h", whole / 3600, whole / 60 % 60);
	else
		snprintf(out, DURATION_TEXT, "%.3g days", seconds / 86400);
}

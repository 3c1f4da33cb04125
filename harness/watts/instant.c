#include "harness/watts/instant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LATEST = 4102444800; /* the year 2100: milliseconds since the epoch are more */

/* Read exactly `digits` digits, and the character behind them if that is not 0. */
static bool number(const char **text, int digits, char behind, int least, int most, int *out)
{
	int n = 0;

	for (int i = 0; i < digits; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		n = 10 * n + **text - '0';
	}
	if (behind && *(*text)++ != behind)
		return false;
	*out = n;
	return n >= least && n <= most;
}

/* ".25" or nothing. */
static bool fraction(const char **text, double *out)
{
	double unit = 1;

	*out = 0;
	if (**text != '.')
		return true;
	(*text)++;
	if (**text < '0' || **text > '9')
		return false;
	for (; **text >= '0' && **text <= '9'; (*text)++)
		*out += (unit *= 0.1) * (**text - '0');
	return true;
}

/* "Z", "+01:00" or "-0330", up to the end of the text; *east: seconds. */
static bool zone(const char *text, int *east)
{
	int sign = *text == '-' ? -1 : 1, hours, minutes;

	*east = 0;
	if (strcmp(text, "Z") == 0)
		return true;
	if (*text != '+' && *text != '-')
		return false;
	text++;
	if (!number(&text, 2, 0, 0, 23, &hours))
		return false;
	text += *text == ':';
	if (!number(&text, 2, 0, 0, 59, &minutes) || *text)
		return false;
	*east = sign * 60 * (60 * hours + minutes);
	return true;
}

static bool date(const char *text, double *out)
{
	struct tm tm = { .tm_isdst = 0 };
	double part;
	time_t whole;
	int east, day;

	if (!number(&text, 4, '-', 1970, 2099, &tm.tm_year) ||
	    !number(&text, 2, '-', 1, 12, &tm.tm_mon) || !number(&text, 2, 0, 1, 31, &tm.tm_mday) ||
	    (*text != 'T' && *text != ' '))
		return false;
	text++;
	if (!number(&text, 2, ':', 0, 23, &tm.tm_hour) ||
	    !number(&text, 2, ':', 0, 59, &tm.tm_min) || !number(&text, 2, 0, 0, 59, &tm.tm_sec) ||
	    !fraction(&text, &part) || !zone(text, &east))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	day = tm.tm_mday;
	whole = timegm(&tm);
	if (tm.tm_mday != day) /* the 30th of February becomes a day of March */
		return false;
	*out = (double)(whole - east) + part;
	return true;
}

bool instant_parse(const char *text, double *out)
{
	char *end;
	double t;

	if (strlen(text) > 4 && text[4] == '-')
		return date(text, out);
	if (text[0] < '0' || text[0] > '9')
		return false;
	t = strtod(text, &end);
	if (end == text || *end || !isfinite(t) || t >= LATEST)
		return false;
	*out = t;
	return true;
}

void instant_format(double t, char out[INSTANT_TEXT])
{
	double whole = floor(t);
	int milli = (int)(1000 * (t - whole));
	time_t seconds = (time_t)whole;
	struct tm tm;
	size_t used;

	if (!gmtime_r(&seconds, &tm)) {
		snprintf(out, INSTANT_TEXT, "%.3f", t);
		return;
	}
	used = strftime(out, INSTANT_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + used, INSTANT_TEXT - used, ".%03dZ", milli);
}

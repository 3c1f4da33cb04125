/* harness/record/values.h - values of a record that JSON cannot express as they are. New references. */
#ifndef HARNESS_RECORD_VALUES_H
#define HARNESS_RECORD_VALUES_H

#include "base/error.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

/* JSON has no NaN, so a value that was not measured becomes null. */
static inline json_t *number_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* A time, or null if it was never measured (-1). */
static inline json_t *seconds_json(double s)
{
	return s < 0 ? json_null() : json_real(s);
}

/* null if there is no text, or if it is not UTF-8. */
static inline json_t *text_or_null(const char *text)
{
	json_t *json = text[0] ? json_string(text) : NULL;

	return json ? json : json_null();
}

/* Texts of programs and paths may contain any bytes, or be cut within a character, and JSON is UTF-8: in such a text
 * each byte that is not ASCII becomes '?'. */
static inline json_t *text_json(const char *text)
{
	json_t *json = json_string(text);
	char plain[RB_ERROR_MAX];

	if (json)
		return json;
	snprintf(plain, sizeof plain, "%s", text);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	return json_string(plain);
}

static inline json_t *text_json_or_null(const char *text)
{
	return text[0] ? text_json(text) : json_null();
}

#endif

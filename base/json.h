/* base/json.h - values that JSON cannot express as they are, into JSON (new references) and
 * back. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/error.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

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

/* A moment, in seconds since the epoch, as "2026-11-26T10:56:53Z". */
static inline json_t *utc_json(double at)
{
	const time_t then = (time_t)at;
	struct tm tm;
	char text[32];

	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &tm));
	return json_string(text);
}

/* null if there is no text, or if it is not UTF-8. */
static inline json_t *text_or_null(const char *text)
{
	json_t *json = text[0] ? json_string(text) : NULL;

	return json ? json : json_null();
}

/* Texts of programs and paths may contain any bytes, or be cut within a character, and JSON is
 * UTF-8: in such a text each byte that is not ASCII becomes '?'. */
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

static inline json_t *integers_json(const int64_t *value, int count)
{
	json_t *list = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(list, json_integer((json_int_t)value[i]));
	return list;
}

/* A number of an object; NAN if it is null, absent or of another type. */
static inline double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A whole number of an object; otherwise: if it is null, absent or of another type. */
static inline int64_t integer_of(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

/* Count a text, of any bytes, in {text: how often}. */
static inline void count_in(json_t *counts, const char *text)
{
	json_object_set_new_nocheck(counts, text, json_integer(integer_of(counts, text, 0) + 1));
}

/* Print such counts, a line each: the number in so many columns, what is said of it, the text. */
static inline void say_counts(const json_t *counts, int width, const char *said, FILE *to)
{
	const char *text;
	json_t *count;

	json_object_foreach((json_t *)(uintptr_t)counts, text, count)
		fprintf(to, "%*" JSON_INTEGER_FORMAT " %s%s\n", width, json_integer_value(count),
			said, text);
}

/* A text of an object; "" if it is null, absent or of another type. It lives as long as the
 * object. */
static inline const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

#endif

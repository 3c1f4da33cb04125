/* Reading, printing and explaining an option by its row. */
#include "base/status.h"
#include "base/text.h"
#include "harness/options/duration.h"
#include "harness/options/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 128, HELP_COLUMN = 20, HELP_WIDTH = 100 };

const struct option *option_find(const struct option *table, const char *name)
{
	while (table->name && strcmp(table->name, name) != 0)
		table++;
	return table->name ? table : NULL;
}

void option_key(const struct option *o, char out[OPTION_KEY])
{
	snprintf(out, OPTION_KEY, "%s", o->name);
	text_replace(out, '-', '_');
}

/* Without a copy: it is asked for each key of each run of a file. */
static bool has_key(const struct option *o, const char *key)
{
	const char *n = o->name;

	while (*n && (*n == '-' ? '_' : *n) == *key) {
		n++;
		key++;
	}
	return *n == *key;
}

const struct option *option_of_key(const struct option *table, const char *key)
{
	for (const struct option *o = table; o->name; o++)
		if (o->shape != SHAPE_NONE && has_key(o, key))
			return o;
	return NULL;
}

bool option_is_inner(const struct option *table, const char *key)
{
	const struct option *o = option_of_key(table, key);

	return o && o->shape == SHAPE_INNER;
}

bool option_words(const struct option *o, const char *comma, const char *last, char *out,
		  size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; o->word && o->word(i) && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
					 i == 0           ? ""
					 : o->word(i + 1) ? comma
							  : last,
					 o->word(i));
	return used > 0;
}

static bool is_whole(const struct option *o)
{
	return o->type == OPTION_INT || o->type == OPTION_LONG;
}

/* "--np x: expected ...": a key of a file has no dashes. */
static int refuse(const struct option *o, const char *text, struct rb_error *err)
{
	const char *of_real = o->type == OPTION_SECONDS  ? "a positive number of seconds"
			      : o->type == OPTION_AMOUNT ? "a number, 0 or more"
			      : o->type == OPTION_FACTOR
				      ? "a number above 0"
				      : "a time, for instance 90, 90s, 10m or 1.5h";
	char words[TEXT], range[TEXT] = "";
	bool named = option_words(o, ", ", is_whole(o) ? ", " : " or ", words, sizeof words);

	if (is_whole(o))
		snprintf(range, sizeof range, "%sa whole number from %" PRId64 " to %" PRId64,
			 named ? " or " : "", named ? 0 : o->least, o->most);
	return rb_fail(err, RB_EINVAL, "%s%s%s %.60s: expected %s%s", o->value ? "--" : "", o->name,
		       o->value ? "" : ":", text, words,
		       is_whole(o) ? range
		       : named     ? ""
				   : of_real);
}

static bool read_number(const struct option *o, const char *text, int64_t *out)
{
	for (int i = 0; o->word && o->word(i); i++)
		if (strcmp(text, o->word(i)) == 0) {
			*out = o->least + i;
			return true;
		}
	if (text[0] == '-' && o->least < 0 && !o->word &&
	    text_integer(text + 1, 0, -o->least, out)) {
		*out = -*out;
		return true;
	}
	return is_whole(o) && text_integer(text, o->word ? 0 : o->least, o->most, out);
}

static bool read_real(const struct option *o, const char *text, double *out)
{
	double value;

	if (o->type == OPTION_TIME)
		return duration_parse(text, out);
	if (!text_real(&text, &value) || *text || (value <= 0 && o->type != OPTION_AMOUNT))
		return false;
	*out = value;
	return true;
}

int option_set(const struct option *o, void *base, const char *text, struct rb_error *err)
{
	void *member = (char *)base + o->at;
	int64_t number;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return RB_OK;
	case OPTION_STRING:
		*(const char **)member = text;
		return RB_OK;
	case OPTION_TEXT:
		if (strlen(text) >= (size_t)o->most)
			return rb_fail(err, RB_EINVAL, "--%s %.40s...: the text is too long",
				       o->name, text);
		memcpy(member, text, strlen(text) + 1);
		text_normal(member);
		return RB_OK;
	case OPTION_SECONDS:
	case OPTION_AMOUNT:
	case OPTION_FACTOR:
	case OPTION_TIME:
		return read_real(o, text, member) ? RB_OK : refuse(o, text, err);
	case OPTION_OWN:
		return o->set(base, text, err);
	default:
		if (!read_number(o, text, &number))
			return refuse(o, text, err);
		if (o->type == OPTION_LONG)
			*(int64_t *)member = number;
		else
			memcpy(member, &(int){ (int)number }, sizeof(int)); /* an enum, perhaps */
		return RB_OK;
	}
}

static int64_t number_of(const struct option *o, const void *member)
{
	int small;

	if (o->type == OPTION_LONG)
		return *(const int64_t *)member;
	memcpy(&small, member, sizeof small);
	return small;
}

void option_get(const struct option *o, const void *base, char *out, size_t size)
{
	const void *member = (const char *)base + o->at;

	out[0] = '\0'; /* not called for other types */
	if (o->type == OPTION_TEXT)
		snprintf(out, size, "%s", (const char *)member);
	if (o->type == OPTION_SECONDS)
		snprintf(out, size, "%.17g", *(const double *)member);
	if (!is_whole(o) && o->type != OPTION_WORD)
		return;
	snprintf(out, size, "%" PRId64, number_of(o, member));
	for (int i = 0; o->word && o->word(i); i++)
		if (o->least + i == number_of(o, member))
			snprintf(out, size, "%s", o->word(i));
}

bool option_is_standard(const struct option *o, const void *base)
{
	char text[TEXT];

	option_get(o, base, text, sizeof text);
	return o->standard && strcmp(text, o->standard) == 0;
}

bool option_is_none(const struct option *o)
{
	return o->standard && strcmp(o->standard, "0") == 0 &&
	       (o->type == OPTION_SECONDS || o->least > 0);
}

json_t *option_json(const struct option *o, const void *base)
{
	const void *member = (const char *)base + o->at;
	char text[TEXT];

	if (o->type == OPTION_SECONDS)
		return json_real(*(const double *)member);
	if (is_whole(o) && !o->word)
		return json_integer(number_of(o, member));
	option_get(o, base, text, sizeof text);
	return json_string(text);
}

int option_load(const struct option *o, void *base, const json_t *value, struct rb_error *err)
{
	char number[TEXT];
	const char *text = json_is_string(value) ? json_string_value(value) : number;

	if (json_is_integer(value))
		snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(number, sizeof number, "%.17g", json_real_value(value));
	else if (!json_is_string(value))
		return rb_fail(err, RB_EINVAL, "%s: expected a number or text", o->name);
	return o->standard && strcmp(text, o->standard) == 0 ? RB_OK
							     : option_set(o, base, text, err);
}

/* Print words, of which the first begins at column `at`, in lines that are not too long. */
static void print_wrapped(const char *text, int at)
{
	const char *blank = "";

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (at + 1 + length > HELP_WIDTH) {
			printf("\n%*s", at = HELP_COLUMN, "");
			blank = "";
		}
		at += printf("%s%.*s", blank, length, text);
		text += length + (text[length] == ' ');
		blank = " ";
	}
	printf("\n");
}

void option_help(const struct option *table, unsigned commands)
{
	for (const struct option *o = table; o->name; o++) {
		bool told = o->standard && o->standard[0] && !option_is_none(o);
		char text[1024];
		int used;

		if (!o->help || (commands && !(o->commands & commands)))
			continue;
		used = printf("  --%s%s%s  ", o->name, o->value ? " " : "",
			      o->value ? o->value : "");
		used += used < HELP_COLUMN ? printf("%*s", HELP_COLUMN - used, "") : 0;
		snprintf(text, sizeof text, "%s%s%s%s", o->help, told ? " (default " : "",
			 told ? o->standard : "", told ? ")" : "");
		print_wrapped(text, used);
	}
}

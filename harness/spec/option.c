/* What can be done with an option by its row alone. */
#include "base/status.h"
#include "base/text.h"
#include "harness/spec/duration.h"
#include "harness/spec/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 128, VALUE = 64, HELP_COLUMN = 20, HELP_WIDTH = 100 };

bool option_words(const struct option *o, const char *comma, const char *last, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; o->word && o->word(i) && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? "" : o->word(i + 1) ? comma : last,
					 o->word(i));
	return used > 0;
}

/* "--np x: expected ...": a key of a file has no dashes. */
static int refuse(const struct option *o, const char *text, struct rb_error *err)
{
	bool dashes = o->value != NULL, number = o->type == OPTION_INT || o->type == OPTION_LONG;
	char expected[WORDS];
	bool named = option_words(o, ", ", number ? ", " : " or ", expected, sizeof expected);
	size_t used = strlen(expected);

	if (number)
		snprintf(expected + used, sizeof expected - used, "%sa whole number from %" PRId64 " to %" PRId64,
			 named ? " or " : "", named ? 0 : o->least, o->most);
	else if (!named)
		snprintf(expected, sizeof expected, "%s", o->type == OPTION_SECONDS ? "a positive number of seconds" :
			 o->type == OPTION_AMOUNT ? "a number, 0 or more" :
			 "a time, for instance 90, 90s, 10m or 1.5h");
	return rb_fail(err, RB_EINVAL, "%s%s%s %.60s: expected %s", dashes ? "--" : "", o->name, dashes ? "" : ":",
		       text, expected);
}

static bool read_number(const struct option *o, const char *text, int64_t *out)
{
	for (int i = 0; o->word && o->word(i); i++)
		if (strcmp(text, o->word(i)) == 0) {
			*out = o->least + i;
			return true;
		}
	if (text[0] == '-' && o->least < 0 && !o->word && text_integer(text + 1, 0, -o->least, out)) {
		*out = -*out;
		return true;
	}
	return o->type != OPTION_WORD && text_integer(text, o->word ? 0 : o->least, o->most, out);
}

static bool read_real(const struct option *o, const char *text, double *out)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value < 0 || (value <= 0 && o->type == OPTION_SECONDS))
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
			return rb_fail(err, RB_EINVAL, "--%s %.40s...: the text is too long", o->name, text);
		memcpy(member, text, strlen(text) + 1);
		return RB_OK;
	case OPTION_SECONDS:
	case OPTION_AMOUNT:
		return read_real(o, text, member) ? RB_OK : refuse(o, text, err);
	case OPTION_TIME:
		return duration_parse(text, member) ? RB_OK : refuse(o, text, err);
	case OPTION_OWN:
		return o->set(base, text, err);
	default:
		break;
	}
	if (!read_number(o, text, &number))
		return refuse(o, text, err);
	if (o->type == OPTION_LONG)
		*(int64_t *)member = number;
	else
		memcpy(member, &(int){ (int)number }, sizeof(int)); /* an enum, perhaps */
	return RB_OK;
}

static int64_t number_of(const struct option *o, const void *member)
{
	int small;

	if (o->type == OPTION_LONG)
		return *(const int64_t *)member;
	memcpy(&small, member, sizeof small);
	return small;
}

/* The word of a value; NULL: it has none. */
static const char *word_of(const struct option *o, const void *member)
{
	int64_t number = number_of(o, member);

	for (int i = 0; o->word && o->word(i); i++)
		if (o->least + i == number)
			return o->word(i);
	return NULL;
}

void option_get(const struct option *o, const void *base, char *out, size_t size)
{
	const void *member = (const char *)base + o->at;
	const char *word;

	switch (o->type) {
	case OPTION_INT:
	case OPTION_LONG:
	case OPTION_WORD:
		word = word_of(o, member);
		if (word)
			snprintf(out, size, "%s", word);
		else
			snprintf(out, size, "%" PRId64, number_of(o, member));
		return;
	case OPTION_SECONDS:
		snprintf(out, size, "%.17g", *(const double *)member);
		return;
	case OPTION_TEXT:
		snprintf(out, size, "%s", (const char *)member);
		return;
	default:
		out[0] = '\0'; /* never asked for */
	}
}

bool option_is_standard(const struct option *o, const void *base)
{
	char text[VALUE];

	option_get(o, base, text, sizeof text);
	return o->standard && strcmp(text, o->standard) == 0;
}

bool option_is_none(const struct option *o)
{
	return o->standard && strcmp(o->standard, "0") == 0 && (o->type == OPTION_SECONDS || o->least > 0);
}

json_t *option_json(const struct option *o, const void *base)
{
	const void *member = (const char *)base + o->at;
	char text[VALUE];

	if (o->type == OPTION_SECONDS)
		return json_real(*(const double *)member);
	if ((o->type == OPTION_INT || o->type == OPTION_LONG) && !o->word)
		return json_integer(number_of(o, member));
	option_get(o, base, text, sizeof text);
	return json_string(text);
}

int option_load(const struct option *o, void *base, const json_t *value, struct rb_error *err)
{
	char number[VALUE];
	const char *text = json_is_string(value) ? json_string_value(value) : number;

	if (json_is_integer(value))
		snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(number, sizeof number, "%.17g", json_real_value(value));
	else if (!json_is_string(value))
		return rb_fail(err, RB_EINVAL, "%s: expected a number or text", o->name);
	return o->standard && strcmp(text, o->standard) == 0 ? RB_OK : option_set(o, base, text, err);
}

const struct option *option_find(const struct option *table, const char *name)
{
	while (table->name && strcmp(table->name, name) != 0)
		table++;
	return table->name ? table : NULL;
}

/* Words from the column on, in lines that are not too long. */
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

static void print_row(const struct option *o)
{
	bool told = o->standard && !option_is_none(o);
	char text[1024];
	int used = printf("  --%s%s%s  ", o->name, o->value ? " " : "", o->value ? o->value : "");

	snprintf(text, sizeof text, "%s%s%s%s", o->help, told ? " (default " : "", told ? o->standard : "",
		 told ? ")" : "");
	used += used < HELP_COLUMN ? printf("%*s", HELP_COLUMN - used, "") : 0;
	print_wrapped(text, used > HELP_COLUMN ? used : HELP_COLUMN);
}

void option_help(const struct option *table, unsigned commands)
{
	for (; table->name; table++)
		if (table->help && (!commands || table->commands & commands))
			print_row(table);
}

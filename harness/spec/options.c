/* Command lines. */
#include "harness/spec/options.h"

#include "base/status.h"

#include <string.h>

bool options_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

bool options_next(struct options *o)
{
	const char *text, *equals;

	if (o->at >= o->argc)
		return false;
	text = o->argv[o->at++];
	o->name[0] = '\0';
	o->value = text;
	if (strncmp(text, "--", 2) != 0 || !text[2]) {
		if (strcmp(text, "-h") == 0)
			snprintf(o->name, sizeof o->name, "help");
		return true;
	}
	equals = strchr(text, '=');
	o->value = equals ? equals + 1 : NULL;
	snprintf(o->name, sizeof o->name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
	return true;
}

int options_value(struct options *o, const char **value, struct rb_error *err)
{
	if (!o->value && o->at >= o->argc)
		return rb_fail(err, RB_EINVAL, "--%s: a value is missing", o->name);
	*value = o->value ? o->value : o->argv[o->at++];
	return RB_OK;
}

int options_int(struct options *o, int64_t least, int64_t most, int64_t *out, struct rb_error *err)
{
	return options_take(o, &(struct option){ .name = o->name, .value = "N", .type = OPTION_LONG, .least = least,
						 .most = most }, out, err);
}

int options_seconds(struct options *o, double *out, struct rb_error *err)
{
	return options_take(o, &(struct option){ .name = o->name, .value = "S", .type = OPTION_SECONDS }, out, err);
}

int options_take(struct options *o, const struct option *row, void *base, struct rb_error *err)
{
	char text[256];
	const char *value = row->given ? row->given : "";

	if (row->value || !row->name[0])
		RB_TRY(options_value(o, &value, err));
	if (row->value && row->given) {
		snprintf(text, sizeof text, "%s%s", row->given, value);
		value = text;
	}
	return option_set(row, base, value, err);
}

int options_unknown(const struct options *o, struct rb_error *err)
{
	return rb_fail(err, RB_EINVAL, "%s%s: unexpected; see --help", o->name[0] ? "--" : "",
		       o->name[0] ? o->name : o->value);
}

static void print_word(FILE *to, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";

	if (*text && !text[strspn(text, plain)]) {
		fputs(text, to);
		return;
	}
	fputc('\'', to);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", to);
		else
			fputc(*text, to);
	fputc('\'', to);
}

void options_print(FILE *to, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		fputc(' ', to);
		print_word(to, argv[i]);
	}
}

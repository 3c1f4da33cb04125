#include "harness/export/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void put_text(FILE *to, const char *text)
{
	if (*text && !strpbrk(text, ",\"\r\n") && text[0] != ' ' && text[strlen(text) - 1] != ' ') {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static const json_t *look_up(const json_t *from, const char *path)
{
	char key[64];

	while (from && *path) {
		size_t length = strcspn(path, ".");

		snprintf(key, sizeof key, "%.*s", (int)length, path);
		from = json_object_get(from, key);
		path += length + (path[length] == '.');
	}
	return from;
}

/* NULL: nothing to say. To be freed. */
static char *plain(const json_t *value)
{
	if (!value || json_is_null(value))
		return NULL;
	if (json_is_string(value))
		return strdup(json_string_value(value));
	return json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17) |
				 JSON_SORT_KEYS);
}

static bool is_plain_array(const json_t *value)
{
	const json_t *item;
	size_t i;

	json_array_foreach(value, i, item)
		if (json_is_array(item) || json_is_object(item))
			return false;
	return json_is_array(value);
}

static char *joined(const json_t *array)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);
	const json_t *item;

	if (!out)
		return NULL;
	json_array_foreach(array, i, item) {
		char *one = plain(item);

		fprintf(out, "%s%s", i ? " " : "", one ? one : "");
		free(one);
	}
	fclose(out);
	return text;
}

static void put_cell(FILE *to, const char *path, const json_t *from)
{
	const json_t *value = look_up(from, path + (path[0] == '#'));
	char *text;

	if (path[0] == '#') {
		if (json_is_array(value))
			fprintf(to, "%zu", json_array_size(value));
		return;
	}
	text = is_plain_array(value) ? joined(value) : plain(value);
	if (text)
		put_text(to, text);
	free(text);
}

void csv_header(FILE *to, const struct csv_column *columns)
{
	for (const struct csv_column *c = columns; c->name; c++)
		fprintf(to, "%s%s", c == columns ? "" : ",", c->name);
	fputs("\r\n", to);
}

void csv_line(FILE *to, const struct csv_column *columns, const json_t *from)
{
	for (const struct csv_column *c = columns; c->name; c++) {
		if (c != columns)
			fputc(',', to);
		put_cell(to, c->path, from);
	}
	fputs("\r\n", to);
}

#include "harness/spec/yaml_index.h"

#include "base/status.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

enum { BYTES_MAX = 1 << 20, DEPTH_MAX = 16, PLACES_MAX = 100000, KEY_MAX = 64, PATH_TEXT = 2048 };

/* A mapping or sequence that is open. */
struct level {
	bool mapping, value_next; /* of a mapping: the next node is a value */
	size_t items;
	size_t first;             /* place from which its own places follow */
	size_t stem;              /* length of its path */
};

struct reader {
	const char *file;
	const char *const *lists;
	struct yaml_index *index;
	struct level level[DEPTH_MAX];
	int depth;
	char path[PATH_TEXT], key[KEY_MAX + 1];
	char *raw;                /* the file */
	size_t length, copied;    /* of raw: how much of it is in index->text */
	size_t at_byte, at_char;  /* of raw: a place that both are known of */
	struct rb_error *err;
};

static int complain(struct reader *r, size_t line, const char *what, const char *more)
{
	return rb_fail(r->err, RB_EINVAL, "%s:%zu: %s%.60s", r->file, line + 1, what, more);
}

static int no_memory(struct reader *r)
{
	return rb_fail(r->err, RB_ENOMEM, "%s: out of memory", r->file);
}

static int read_file(struct reader *r)
{
	FILE *f = fopen(r->file, "re");
	struct stat info;

	if (!f || fstat(fileno(f), &info) != 0 || S_ISDIR(info.st_mode)) {
		int why = f ? EISDIR : errno;

		if (f)
			fclose(f);
		return rb_fail(r->err, RB_EIO, "%s: %s", r->file, strerror(why));
	}
	r->raw = malloc(BYTES_MAX + 1);
	/* Quotes and brackets around scalars: four bytes each, and a quote within may double. */
	r->index->text = malloc(2 * (size_t)BYTES_MAX + 4 * (size_t)PLACES_MAX + 1);
	if (r->raw && r->index->text)
		r->length = fread(r->raw, 1, BYTES_MAX + 1, f);
	fclose(f);
	if (!r->raw || !r->index->text)
		return no_memory(r);
	if (r->length > BYTES_MAX)
		return complain(r, 0, "larger than 1 MiB: that is no experiment", "");
	return RB_OK;
}

/* libyaml counts characters. Only ever called with later ones. */
static size_t byte_of(struct reader *r, size_t character)
{
	while (r->at_char < character && r->at_byte < r->length) {
		r->at_byte++;
		while (r->at_byte < r->length && ((unsigned char)r->raw[r->at_byte] & 0xc0) == 0x80)
			r->at_byte++;
		r->at_char++;
	}
	return r->at_byte;
}

static void put(struct yaml_index *index, const char *text, size_t n)
{
	memcpy(index->text + index->length, text, n);
	index->length += n;
}

/* Copy what comes before a scalar, then the scalar as a list of one. */
static void write_as_list(struct reader *r, const yaml_event_t *e)
{
	bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	size_t begin = byte_of(r, e->start_mark.index), end = byte_of(r, e->end_mark.index);

	put(r->index, r->raw + r->copied, begin - r->copied);
	put(r->index, plain ? "['" : "[", plain ? 2 : 1);
	for (size_t i = begin; i < end; i++) {
		put(r->index, r->raw + i, 1);
		if (plain && r->raw[i] == '\'')
			put(r->index, "'", 1);
	}
	put(r->index, plain ? "']" : "]", plain ? 2 : 1);
	r->copied = end;
}

static bool is_list_key(const struct reader *r)
{
	for (const char *const *k = r->lists; k && *k; k++)
		if (strcmp(*k, r->key) == 0)
			return true;
	return false;
}

static int add_place(struct reader *r, size_t line)
{
	struct yaml_index *index = r->index;
	char *path;

	if (index->count == PLACES_MAX)
		return complain(r, line, "too many lines: 100000 keys and items are the most", "");
	if (index->count == index->capacity) {
		size_t more = index->capacity ? 2 * index->capacity : 256;
		struct yaml_place *grown = realloc(index->place, more * sizeof *grown);

		if (!grown)
			return no_memory(r);
		index->place = grown;
		index->capacity = more;
	}
	path = strdup(r->path);
	if (!path)
		return no_memory(r);
	index->place[index->count++] = (struct yaml_place){ path, (int)line + 1 };
	return RB_OK;
}

/* Behind the path of the level that is open. */
static void extend_path(struct reader *r, const struct level *at)
{
	r->path[at->stem] = '\0';
	if (at->mapping)
		snprintf(r->path + at->stem, sizeof r->path - at->stem, "%s%s",
			 at->stem ? "." : "", r->key);
	else
		snprintf(r->path + at->stem, sizeof r->path - at->stem, "[%zu]", at->items);
}

static int take_key(struct reader *r, struct level *at, const yaml_event_t *e)
{
	size_t line = e->start_mark.line;

	if (e->type != YAML_SCALAR_EVENT)
		return complain(r, line, "expected a key, not a list or mapping", "");
	if (e->data.scalar.length > KEY_MAX || strlen((char *)e->data.scalar.value) != e->data.scalar.length)
		return complain(r, line, "unknown key: ", (char *)e->data.scalar.value);
	memcpy(r->key, e->data.scalar.value, e->data.scalar.length + 1);
	extend_path(r, at);
	for (size_t i = at->first; i < r->index->count; i++)
		if (strcmp(r->index->place[i].path, r->path) == 0)
			return complain(r, line, "key twice in one place: ", r->key);
	at->value_next = true;
	at->items++;
	return at->items > KEY_MAX ? complain(r, line, "too many keys here", "") : add_place(r, line);
}

static int take_scalar(struct reader *r, const struct level *at, const yaml_event_t *e)
{
	bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	bool block = e->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
		     e->data.scalar.style == YAML_FOLDED_SCALAR_STYLE;
	size_t line = e->start_mark.line;

	if (strlen((char *)e->data.scalar.value) != e->data.scalar.length)
		return complain(r, line, "a NUL character within a text", "");
	if (plain && e->data.scalar.length == 0)
		return complain(r, line, "expected a value", at && at->mapping ? " of the key before" : "");
	if (at && at->mapping && !block && is_list_key(r))
		write_as_list(r, e);
	return RB_OK;
}

static int open_level(struct reader *r, const yaml_event_t *e)
{
	if (r->depth == DEPTH_MAX)
		return complain(r, e->start_mark.line, "nested too deeply", "");
	r->level[r->depth++] = (struct level){
		.mapping = e->type == YAML_MAPPING_START_EVENT,
		.first = r->index->count,
		.stem = strlen(r->path),
	};
	return RB_OK;
}

/* The start of a value: of an item of a list, of a key, or the top. */
static int take_node(struct reader *r, const yaml_event_t *e)
{
	struct level *at = r->depth ? &r->level[r->depth - 1] : NULL;

	if (at && at->mapping && !at->value_next)
		return take_key(r, at, e);
	if (at && at->mapping) {
		at->value_next = false;
	} else if (at) {
		extend_path(r, at);
		at->items++;
		RB_TRY(add_place(r, e->start_mark.line));
	}
	if (e->type == YAML_SCALAR_EVENT)
		return take_scalar(r, at, e);
	return open_level(r, e);
}

static const yaml_char_t *anchor_of(const yaml_event_t *e)
{
	return e->type == YAML_SCALAR_EVENT ? e->data.scalar.anchor :
	       e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor :
	       e->type == YAML_MAPPING_START_EVENT ? e->data.mapping_start.anchor : NULL;
}

static int take(struct reader *r, const yaml_event_t *e, int *documents)
{
	if (e->type == YAML_ALIAS_EVENT || anchor_of(e))
		return complain(r, e->start_mark.line, "anchors and aliases are not read here; write it "
				"out, or quote what begins with & or *", "");
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return (*documents)++ ? complain(r, e->start_mark.line, "a second document in the file", "") :
					RB_OK;
	case YAML_SCALAR_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return take_node(r, e);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->path[r->level[--r->depth].stem] = '\0';
		return RB_OK;
	default:
		return RB_OK;
	}
}

static size_t line_of_byte(const struct reader *r, size_t byte)
{
	size_t line = 0;

	for (size_t i = 0; i < byte && i < r->length; i++)
		line += r->raw[i] == '\n';
	return line;
}

/* What libyaml could not read. */
static int no_yaml(struct reader *r, const yaml_parser_t *parser)
{
	size_t line = parser->error == YAML_READER_ERROR ? line_of_byte(r, parser->problem_offset) :
							   parser->problem_mark.line;
	char what[200];

	if (parser->error == YAML_MEMORY_ERROR)
		return no_memory(r);
	snprintf(what, sizeof what, "not YAML: %s%s%s", parser->problem ? parser->problem : "unreadable",
		 parser->context ? ", " : "", parser->context ? parser->context : "");
	return complain(r, line, what, "");
}

static int walk(struct reader *r, yaml_parser_t *parser)
{
	int documents = 0, rc = RB_OK;
	bool over = false;

	while (rc == RB_OK && !over) {
		yaml_event_t event;

		if (!yaml_parser_parse(parser, &event))
			return no_yaml(r, parser);
		over = event.type == YAML_STREAM_END_EVENT;
		rc = take(r, &event, &documents);
		yaml_event_delete(&event);
	}
	if (rc == RB_OK && documents == 0)
		return complain(r, 0, "the file is empty", "");
	return rc;
}

static int index_text(struct reader *r)
{
	yaml_parser_t parser;
	int rc;

	if (!yaml_parser_initialize(&parser))
		return no_memory(r);
	/* Said, not guessed: in UTF-16 our own counting of characters would be wrong. */
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (unsigned char *)r->raw, r->length);
	rc = walk(r, &parser);
	yaml_parser_delete(&parser);
	if (rc == RB_OK)
		put(r->index, r->raw + r->copied, r->length - r->copied);
	return rc;
}

int yaml_index_read(const char *path, const char *const *lists, struct yaml_index **out,
		    struct rb_error *err)
{
	struct reader r = { .file = path, .lists = lists, .err = err };
	int rc;

	*out = r.index = calloc(1, sizeof *r.index);
	if (!r.index)
		return no_memory(&r);
	rc = read_file(&r);
	if (rc == RB_OK)
		rc = index_text(&r);
	free(r.raw);
	if (rc != RB_OK) {
		yaml_index_free(*out);
		*out = NULL;
	}
	return rc;
}

void yaml_index_free(struct yaml_index *index)
{
	for (size_t i = 0; index && i < index->count; i++)
		free(index->place[i].path);
	if (index) {
		free(index->place);
		free(index->text);
	}
	free(index);
}

int yaml_index_line(const struct yaml_index *index, const char *path)
{
	char part[PATH_TEXT];

	snprintf(part, sizeof part, "%s", path);
	while (part[0]) {
		char *dot = strrchr(part, '.'), *bracket = strrchr(part, '[');

		for (size_t i = 0; i < index->count; i++)
			if (strcmp(index->place[i].path, part) == 0)
				return index->place[i].line;
		if (dot && (!bracket || dot > bracket))
			*dot = '\0';
		else if (bracket)
			*bracket = '\0';
		else
			part[0] = '\0';
	}
	return 1;
}

int yaml_index_key(const struct yaml_index *index, const char *key, int from)
{
	for (size_t i = 0; i < index->count; i++) {
		const char *dot = strrchr(index->place[i].path, '.');

		if (index->place[i].line >= from &&
		    strcmp(dot ? dot + 1 : index->place[i].path, key) == 0)
			return index->place[i].line;
	}
	return from;
}

#include "harness/options/yaml.h"

#include "base/status.h"

#include <errno.h>
#include <jansson.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	BYTES_MAX = 1 << 20,
	DEPTH_MAX = 16,
	NODES_MAX = 100000,
	KEYS_MAX = 64,
	KEY_MAX = 64,
	EMPTY_MAX = 100
};

struct reader {
	struct yaml_file *file;
	struct yaml_node *open[DEPTH_MAX]; /* the sequences and mappings around the next node */
	int depth;
	char *key; /* read, its value is next; NULL: none */
	int key_line;
	int line; /* of the last event */
	int nodes;
	struct rb_error *err;
};

static int complain(const struct reader *r, int line, const char *what, const char *more)
{
	return rb_fail(r->err, RB_EINVAL, "%s:%d: %s%.60s", r->file->path, line, what, more);
}

static int no_memory(const struct reader *r)
{
	return rb_fail(r->err, RB_ENOMEM, "%s: out of memory", r->file->path);
}

static char *copy(struct reader *r, const char *text, size_t length)
{
	char *to = yaml_alloc(r->file, length + 1);

	if (to && length)
		memcpy(to, text, length);
	return to;
}

static int read_text(const struct reader *r, char **text, size_t *length)
{
	FILE *f = fopen(r->file->path, "re");
	struct stat info;

	if (!f || fstat(fileno(f), &info) != 0 || S_ISDIR(info.st_mode)) {
		int why = f ? EISDIR : errno;

		if (f)
			fclose(f);
		return rb_fail(r->err, RB_EIO, "%s: %s", r->file->path, strerror(why));
	}
	*text = calloc(1, BYTES_MAX + 2); /* ends with a NUL character */
	*length = *text ? fread(*text, 1, BYTES_MAX + 1, f) : 0;
	fclose(f);
	if (!*text)
		return no_memory(r);
	return *length > BYTES_MAX ? complain(r, 1, "larger than 1 MiB: that is no experiment", "")
				   : RB_OK;
}

static bool is_utf8(const char *text, size_t length)
{
	json_t *valid = json_stringn(text, length);
	bool yes = valid != NULL;

	json_decref(valid);
	return yes;
}

static bool has(const char *line, size_t length, const char *what)
{
	return memmem(line, length, what, strlen(what)) != NULL;
}

/* What is wrong with a line, whose line break is left out; NULL: nothing. */
static const char *check_line(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return "not YAML: control characters are not allowed";
	if (!is_utf8(line, length))
		return "not YAML: the text is not UTF-8";
	if (has(line, length, "\xc2\x85") || has(line, length, "\xe2\x80\xa8") ||
	    has(line, length, "\xe2\x80\xa9"))
		return "not YAML: a line ends with LF or CR LF only";
	if (length > 0 && line[0] == '%' &&
	    (length > strlen("%YAML 1.2") || strncmp(line, "%YAML 1.", 8) != 0))
		return "directives other than %YAML 1.1 and %YAML 1.2 are not read here";
	return has(line, length, "'''''''''") ? "more than 8 single quotes in a row" : NULL;
}

/* Refuse what libfyaml 0.8 does not read safely. It guesses encodings; it counts a text with U+2028
 * as longer than it is; it loses memory with many quotes in a row; and its time grows with the
 * square of the length of a directive, of the number of %TAG directives and of the number of empty
 * lines within a text: with 64000 empty lines it takes 10 seconds. */
static int check_text(const struct reader *r, const char *text, size_t length)
{
	int line = 1, empty = 0;

	for (size_t at = 0, end; at < length; at = end + 1, line++) {
		const char *lf = memchr(text + at, '\n', length - at), *what;
		size_t n;

		end = lf ? (size_t)(lf - text) : length;
		n = end - at - (lf && end > at && lf[-1] == '\r');
		what = check_line(text + at, n);
		empty = strspn(text + at, " \t\r") >= n ? empty + 1 : 0;
		if (!what && empty > EMPTY_MAX)
			what = "more than 100 empty lines in a row";
		if (what)
			return complain(r, line, what, "");
	}
	return RB_OK;
}

static struct yaml_node *around(const struct reader *r)
{
	return r->depth ? r->open[r->depth - 1] : NULL;
}

static int take_key(struct reader *r, const struct fy_event *e)
{
	const struct yaml_node *mapping = around(r);
	const char *text;
	size_t length;

	if (e->type != FYET_SCALAR)
		return complain(r, r->line, "expected a key, not a list or mapping", "");
	text = fy_token_get_text(e->scalar.value, &length);
	if (!text)
		return no_memory(r);
	r->key = copy(r, text, length);
	r->key_line = r->line;
	if (!r->key)
		return no_memory(r);
	if (length > KEY_MAX || strlen(r->key) != length)
		return complain(r, r->line, "unknown key: ", r->key);
	if (yaml_get(mapping, r->key))
		return complain(r, r->line, "key twice in one place: ", r->key);
	return mapping->count == KEYS_MAX ? complain(r, r->line, "too many keys here", "") : RB_OK;
}

static int take_scalar(struct reader *r, const struct fy_event *e, struct yaml_node *node)
{
	struct fy_token *value = e->scalar.value;
	size_t length = 0;
	const char *text = value ? fy_token_get_text(value, &length) : "";

	if (!text)
		return no_memory(r);
	if (length == 0 && (!value || fy_token_scalar_style(value) == FYSS_PLAIN))
		return complain(r, node->line, "expected a value",
				node->key ? " of the key before" : "");
	if (memchr(text, '\0', length))
		return complain(r, node->line, "a NUL character within a text", "");
	node->text = copy(r, text, length);
	return node->text ? RB_OK : no_memory(r);
}

static void append(struct yaml_node *parent, struct yaml_node *node)
{
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	parent->count++;
}

/* The start of the root, an item, a key or a value. */
static int take_node(struct reader *r, const struct fy_event *e)
{
	struct yaml_node *parent = around(r), *node;

	if (++r->nodes > NODES_MAX)
		return complain(r, r->line, "too many lines: 100000 keys and items are the most",
				"");
	if (parent && parent->kind == YAML_MAPPING && !r->key)
		return take_key(r, e);
	node = yaml_alloc(r->file, sizeof *node);
	if (!node)
		return no_memory(r);
	node->kind = e->type == FYET_SCALAR           ? YAML_SCALAR
		     : e->type == FYET_SEQUENCE_START ? YAML_SEQUENCE
						      : YAML_MAPPING;
	node->key = r->key;
	node->line = r->key ? r->key_line : r->line;
	r->key = NULL;
	if (parent)
		append(parent, node);
	else
		r->file->root = node;
	if (node->kind == YAML_SCALAR)
		return take_scalar(r, e, node);
	if (r->depth == DEPTH_MAX)
		return complain(r, r->line, "nested too deeply", "");
	r->open[r->depth++] = node;
	return RB_OK;
}

static int take(struct reader *r, struct fy_event *e)
{
	const struct fy_mark *mark = fy_event_start_mark(e);

	if (mark)
		r->line = mark->line + 1;
	if (e->type == FYET_ALIAS || fy_event_get_anchor_token(e))
		return complain(
			r, r->line,
			"anchors and aliases are not read here; write it out, or quote what begins "
			"with & or *",
			"");
	switch (e->type) {
	case FYET_DOCUMENT_START:
		return r->file->root ? complain(r, r->line, "a second document in the file", "")
				     : RB_OK;
	case FYET_SCALAR:
	case FYET_SEQUENCE_START:
	case FYET_MAPPING_START:
		return take_node(r, e);
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		r->depth--;
		return RB_OK;
	default:
		return RB_OK;
	}
}

/* Say what libfyaml could not read. For some errors it has no message. */
static int no_yaml(const struct reader *r, struct fy_diag *diag)
{
	void *iterator = NULL;
	const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
	char what[160];

	snprintf(what, sizeof what, "not YAML: %s",
		 first ? first->msg : "libfyaml cannot read this line");
	what[strcspn(what, "\n")] = '\0';
	return complain(r, first && first->line > 0 ? first->line : r->line, what, "");
}

static int walk(struct reader *r, struct fy_parser *parser, struct fy_diag *diag)
{
	int rc = RB_OK;
	bool over = false;

	while (rc == RB_OK && !over) {
		struct fy_event *event = fy_parser_parse(parser);

		if (!event)
			return no_yaml(r, diag);
		over = event->type == FYET_STREAM_END;
		rc = take(r, event);
		fy_parser_event_free(parser, event);
	}
	return rc == RB_OK && !r->file->root ? complain(r, 1, "the file is empty", "") : rc;
}

static int parse(struct reader *r, const char *text, size_t length)
{
	const struct fy_diag_cfg quiet = { .level = FYET_ERROR, .module_mask = ~0u };
	struct fy_diag *diag = fy_diag_create(&quiet);
	const struct fy_parse_cfg cfg = { .search_path = "", .flags = FYPCF_QUIET, .diag = diag };
	struct fy_parser *parser = NULL;
	int rc = RB_ENOMEM;

	if (diag) {
		fy_diag_set_collect_errors(diag, true);
		parser = fy_parser_create(&cfg);
	}
	if (!parser || fy_parser_set_string(parser, text, length) != 0)
		no_memory(r);
	else
		rc = walk(r, parser, diag);
	fy_parser_destroy(parser);
	fy_diag_destroy(diag);
	return rc;
}

int yaml_load(const char *path, const char *doc, struct yaml_file **out, struct rb_error *err)
{
	struct reader r = { .file = calloc(1, sizeof *r.file), .line = 1, .err = err };
	char *text = NULL;
	size_t length = 0;
	int rc;

	*out = NULL;
	if (!r.file)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", path);
	r.file->doc = doc;
	r.file->path = path;
	rc = read_text(&r, &text, &length);
	if (rc == RB_OK)
		rc = check_text(&r, text, length);
	if (rc == RB_OK)
		rc = parse(&r, text, length);
	free(text);
	if (rc == RB_OK)
		*out = r.file;
	else
		yaml_free(r.file);
	return rc;
}

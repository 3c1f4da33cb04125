#include "harness/papers/questions.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who is told, and of which node. */
struct telling {
	const struct yaml_file *file;
	const struct yaml_node *node;
	question_visit *visit;
	void *ctx;
	struct rb_error *err;
};

/* Tell all that the first brace of a text, and those behind it, stand for. */
static int expand(const struct telling *t, const char *text)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
	size_t length;
	char *line;
	int rc = RB_OK;

	if (!open && !strchr(text, '}'))
		return t->visit(t->ctx, t->node, text, t->err);
	if (!open || !close || strcspn(open + 1, "{") < (size_t)(close - open))
		return yaml_refuse(t->file, t->node, t->err,
				   "expected {a,b}, without braces in it: %.100s", text);
	for (const char *word = open + 1; rc == RB_OK && word <= close; word += length + 1) {
		length = strcspn(word, ",}");
		if (asprintf(&line, "%.*s%.*s%s", (int)(open - text), text, (int)length, word,
			     close + 1) < 0)
			return rb_fail(t->err, RB_ENOMEM, "out of memory");
		rc = expand(t, line);
		free(line);
	}
	return rc;
}

static int tell(struct telling t, const struct yaml_node *node)
{
	t.node = node;
	return node->text ? expand(&t, node->text)
			  : yaml_refuse(t.file, node, t.err, "%s: expected a text",
					node->key ? node->key : "asks");
}

static int walk(const struct telling *t, const struct yaml_node *node)
{
	const struct yaml_node *one = NULL;

	for (const struct yaml_node *n = node->first; n; n = n->next) {
		if (n->key && strcmp(n->key, "ask") == 0)
			RB_TRY(tell(*t, n));
		else if (n->key && strcmp(n->key, "asks") == 0)
			while ((one = yaml_next(n, one)))
				RB_TRY(tell(*t, one));
		else
			RB_TRY(walk(t, n));
	}
	return RB_OK;
}

int questions_each(const struct yaml_file *file, question_visit *visit, void *ctx,
		   struct rb_error *err)
{
	const struct telling t = { file, NULL, visit, ctx, err };

	return walk(&t, file->root);
}

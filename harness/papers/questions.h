/* harness/papers/questions.h - what the items of the papers ask of forecasts (docs/papers.md). */
#ifndef HARNESS_PAPERS_QUESTIONS_H
#define HARNESS_PAPERS_QUESTIONS_H

#include "harness/options/yaml.h"

/* One question: a command line of `rollbench` without that word. node: where it stands. RB_OK, or
 * what questions_each() is to return at once. */
typedef int question_visit(void *ctx, const struct yaml_node *node, const char *line,
			   struct rb_error *err);

/* Each question of a file: the text of each key `ask`, and those of the list of each key `asks`. A
 * text with {a,b} is one question for each of a and b; with several braces, for each combination.
 * The same question may come more than once. RB_OK; RB_EINVAL: one is no text, or a brace is open,
 * with its line; RB_ENOMEM; or what visit returned. */
int questions_each(const struct yaml_file *file, question_visit *visit, void *ctx,
		   struct rb_error *err);

#endif

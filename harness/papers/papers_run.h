/* harness/papers/papers_run.h - the commands of an item of the papers (docs/papers.md): `rollbench
 * papers run`. */
#ifndef HARNESS_PAPERS_PAPERS_RUN_H
#define HARNESS_PAPERS_PAPERS_RUN_H

#include "base/error.h"
#include "harness/options/yaml.h"

#include <stdbool.h>
#include <stdio.h>

enum { PAPERS_LINES = 64 };

/* An item with its commands for a profile. */
struct papers_item {
	const char *name; /* PAPER/ID, as it was asked for */
	const char *root; /* a checkout, or the folder of an installation that has plots/ */
	const char *results;
	char *path; /* of the file */
	struct yaml_file *file;
	const struct yaml_node *node;
	/* Its commands as a person types them in a checkout, with {results} for the folder. If it
	 * has none for the profile: what `make test` selects, for each of its tests. */
	const char *line[PAPERS_LINES];
	int lines;
	bool tests;
};

/* Read it from ROOT/plots/papers/PAPER.yaml. RB_OK; RB_EINVAL: there is no such item, or nothing to
 * run of it; RB_EIO or RB_ENOMEM. papers_free() in any case. */
int papers_load(struct papers_item *item, const char *name, const char *profile, const char *root,
		const char *results, struct rb_error *err);
void papers_free(struct papers_item *item);
/* Print the commands. */
void papers_say(const struct papers_item *item, FILE *to);
/* Run them one after the other, until one fails. Returns the exit status: 0; 1: of a sweep, some
 * runs are not ok, but all were made; or that of the command that ended it, 128 and more if a
 * signal did. Negative: with a message, one cannot be run. */
int papers_run(const struct papers_item *item, struct rb_error *err);

#endif

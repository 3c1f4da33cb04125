/* tests/folder.h - a temporary folder, for one test or a group: cmocka's set-up and tear-down. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dir[64];

static inline int make_dir(void **state)
{
	const char *parent = getenv("TMPDIR");

	(void)state;
	if (snprintf(dir, sizeof dir, "%s/unit-XXXXXX", parent && *parent ? parent : "/tmp") >=
	    (int)sizeof dir)
		return -1;
	return mkdtemp(dir) ? 0 : -1;
}

/* A file in it. It aborts if that cannot be written: no test can go on then. */
static inline void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) == EOF || fclose(f) != 0)
		abort();
}

static inline int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -r '%s'", dir);
	return system(command);
}

#endif

#include "harness/machine/fact.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *open_fact(const char *dir, const char *name, const char *how)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path ? fopen(path, how)
										  : NULL;
}

void fact_write(const char *dir, const char *name, const char *text)
{
	FILE *f = open_fact(dir, name, "we");

	if (!f)
		return;
	fprintf(f, "%s\n", text);
	fclose(f);
}

void fact_read(const char *dir, const char *name, char *out, size_t size)
{
	FILE *f = open_fact(dir, name, "re");

	out[0] = '\0';
	if (f && fgets(out, (int)size, f))
		out[strcspn(out, "\n")] = '\0';
	else
		out[0] = '\0';
	if (f)
		fclose(f);
}

bool fact_there(const char *dir, const char *name)
{
	FILE *f = open_fact(dir, name, "re");

	if (f)
		fclose(f);
	return f != NULL;
}

void fact_forget(const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path)
		unlink(path);
}

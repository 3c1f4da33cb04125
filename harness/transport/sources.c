#include "harness/transport/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 2048, PATH = 1024 };
static const char prefix[] = "OMPI_MCA_";
extern char **environ;

static const char *value_of(const json_t *settings, const char *name)
{
	const char *value = json_string_value(json_object_get(settings, name));

	return value ? value : "";
}

/* "name = value # comment": false if the line is empty. Both are parts of the line. */
static bool split(char *line, char **name, char **value)
{
	char *end;

	line[strcspn(line, "#\n")] = '\0';
	*name = line + strspn(line, " \t");
	*value = strchr(*name, '=');
	if (!*value)
		return false;
	end = *value;
	*(*value)++ = '\0';
	while (end > *name && strchr(" \t", end[-1]))
		*--end = '\0';
	*value += strspn(*value, " \t");
	for (end = *value + strlen(*value); end > *value && strchr(" \t\r", end[-1]);)
		*--end = '\0';
	return (*name)[0];
}

/* Add what the file sets; false: it is not there. */
static bool read_file(json_t *into, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[LINE], *name, *value;

	if (!f)
		return false;
	while (fgets(line, sizeof line, f))
		if (split(line, &name, &value))
			json_object_set_new(into, name, json_string(value));
	fclose(f);
	return true;
}

json_t *sources_fault_tolerant(const json_t *settings)
{
	char folders[LINE], path[PATH], *save, *folder;
	json_t *found = json_object();

	snprintf(folders, sizeof folders, "%s", value_of(settings, "mca_base_param_file_path"));
	for (folder = strtok_r(folders, ":", &save); folder; folder = strtok_r(NULL, ":", &save)) {
		snprintf(path, sizeof path, "%s/ft-mpi", folder);
		if (!read_file(found, path))
			continue;
		json_object_set_new(found, "", json_string(path));
		return found;
	}
	json_decref(found);
	return NULL;
}

static void give(json_t *given, const char *name, const char *value, const char *from)
{
	/* NULL if it is not UTF-8 */
	json_t *one = json_pack("{s:s, s:s}", "value", value, "from", from);

	if (one)
		json_object_set_new(given, name, one);
}

/* The files that the parameter `variable` names; the first of them counts. over: they count more
 * than what is given already. */
static void add_files(json_t *given, const json_t *settings, const char *variable, bool over)
{
	char files[LINE], from[PATH], *save, *path;
	json_t *found = json_object(), *value;
	const char *name;

	snprintf(files, sizeof files, "%s", value_of(settings, variable));
	for (path = strtok_r(files, ",:", &save); path; path = strtok_r(NULL, ",:", &save)) {
		json_t *file = json_object();

		read_file(file, path);
		snprintf(from, sizeof from, "%sfile %s", over ? "overriding " : "", path);
		json_object_foreach(file, name, value)
			if (!json_object_get(found, name))
				give(found, name, json_string_value(value), from);
		json_decref(file);
	}
	if (over)
		json_object_update(given, found);
	else
		json_object_update_missing(given, found);
	json_decref(found);
}

static void add_environment(json_t *given)
{
	for (char **e = environ; *e; e++) {
		const char *equals = strchr(*e, '=');
		char name[256];

		if (strncmp(*e, prefix, sizeof prefix - 1) != 0 || !equals)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(equals - *e - (long)sizeof prefix + 1),
			 *e + sizeof prefix - 1);
		give(given, name, equals + 1, "environment");
	}
}

bool sources_is_option(const char *word)
{
	static const char *const known[] = { "--mca",  "-mca",  "--omca",  "-omca",
					     "--gmca", "-gmca", "--gomca", "-gomca" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(word, known[i]) == 0)
			return true;
	return false;
}

static void add_arguments(json_t *given, const char *arguments)
{
	char *copy = strdup(arguments), *save, *word, *name;

	for (word = copy ? strtok_r(copy, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save)) {
		if (!sources_is_option(word))
			continue;
		name = strtok_r(NULL, " ", &save);
		word = name ? strtok_r(NULL, " ", &save) : NULL;
		if (!word)
			break;
		give(given, name, word, "command line");
	}
	free(copy);
}

json_t *sources_given(const json_t *settings, const char *arguments)
{
	json_t *given = json_object();

	add_files(given, settings, "mca_base_param_files", false);
	add_environment(given);
	add_arguments(given, arguments);
	add_files(given, settings, "mca_base_override_param_file", true);
	return given;
}

/* Which line of an experiment file a complaint is about. */
#include "harness/sweep/sweep_expand.h"

#include <stdio.h>
#include <string.h>

/* Complaints begin with the option as on the command line, or with the key. */
static const struct word {
	const char *word, *key;
} words[] = {
	{ "np", "np" }, { "interval", "interval" }, { "ckpt", "ckpt" }, { "ckpt-lag", "ckpt_lag" },
	{ "policy", "policies" }, { "power", "power" }, { "meters", "meters" }, { "spares", "spares" },
	{ "node-size", "node_size" }, { "strategy", "restart" }, { "restart", "restart" },
	{ "deadline", "/deadline" }, { "kernel", "kernel" }, { "options", "options" },
	{ "kill", "kill.roles" }, { "iterations", "kill.iterations" }, { "phases", "kill.phases" },
};

static int item_of(const struct expansion *x, const char *key)
{
	const struct {
		const char *key;
		unsigned item;
	} items[] = {
		{ "np", x->at[AXIS_NP] }, { "interval", x->at[AXIS_INTERVAL] },
		{ "ckpt", x->at[AXIS_CKPT] }, { "ckpt_lag", x->at[AXIS_LAG] },
		{ "policies", x->policy }, { "power", x->power }, { "kill.roles", x->role },
		{ "kill.iterations", x->iterations }, { "kill.phases", x->phase },
	};

	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		if (strcmp(items[i].key, key) == 0)
			return (int)items[i].item;
	return -1;
}

/* The item of options that sets this one; -1: none does. */
static int option_item(const struct expansion *x, const char *name, size_t length)
{
	for (unsigned i = 0; i < x->entry->options_count; i++)
		if (strncmp(x->entry->options[i], name, length) == 0 &&
		    x->entry->options[i][length] == '=')
			return (int)i;
	return -1;
}

int sweep_line(const struct expansion *x, const char *complaint)
{
	const char *word = complaint + (strncmp(complaint, "--", 2) == 0 ? 2 : 0);
	size_t length = strcspn(word, " :,");
	const char *key = "";
	int item = option_item(x, word, length);
	char path[160];

	if (item >= 0)
		key = "options";
	for (size_t i = 0; !key[0] && i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0)
			key = words[i].key;
	if (key[0] == '/')
		return yaml_line(x->config->file, key + 1);
	if (item < 0)
		item = item_of(x, key);
	if (item >= 0)
		snprintf(path, sizeof path, "runs[%u].%s[%d]", x->number, key, item);
	else
		snprintf(path, sizeof path, "runs[%u]%s%s", x->number, key[0] ? "." : "", key);
	return yaml_line(x->config->file, path);
}

#include "harness/transport/components.h"

#include <stdio.h>
#include <string.h>

void components_read(struct components *c, const char *text)
{
	char *save, *item;

	c->excludes = text[0] == '^';
	c->count = 0;
	snprintf(c->text, sizeof c->text, "%s", text + c->excludes);
	for (item = strtok_r(c->text, ", ", &save); item && c->count < COMPONENTS_MAX;
	     item = strtok_r(NULL, ", ", &save))
		c->item[c->count++] = item;
}

static bool names(const struct components *c, const char *name)
{
	for (int i = 0; i < c->count; i++)
		if (strcmp(c->item[i], name) == 0)
			return true;
	return false;
}

bool components_have(const struct components *c, const char *name)
{
	return c->count == 0 || names(c, name) != c->excludes;
}

static void add(char out[COMPONENTS_TEXT], bool excludes, const char *item)
{
	size_t used = strlen(out);

	snprintf(out + used, COMPONENTS_TEXT - used, "%s%s",
		 used       ? ","
		 : excludes ? "^"
			    : "",
		 item);
}

bool components_both(const char *one, const char *other, char out[COMPONENTS_TEXT])
{
	struct components a, b;

	components_read(&a, one);
	components_read(&b, other);
	out[0] = '\0';
	if (a.excludes && !b.excludes &&
	    b.count > 0) /* the list that names those that may be used comes first */
		return components_both(other, one, out);
	for (int i = 0; i < a.count; i++)
		if (a.excludes || components_have(&b, a.item[i]))
			add(out, a.excludes, a.item[i]);
	for (int i = 0; i < b.count; i++)
		if (a.count == 0 || (a.excludes && !names(&a, b.item[i])))
			add(out, b.excludes, b.item[i]);
	return out[0] || (a.count == 0 && b.count == 0);
}

void components_conflict(const char *rule, const char *list, char out[COMPONENTS_TEXT])
{
	struct components r, l;
	char left[COMPONENTS_TEXT];

	components_read(&r, rule);
	components_read(&l, list);
	out[0] = '\0';
	for (int i = 0; i < l.count && !l.excludes && !out[0]; i++)
		if (!components_have(&r, l.item[i]))
			add(out, false, l.item[i]);
	if (!out[0] && !components_both(rule, list, left))
		snprintf(out, COMPONENTS_TEXT, "%s", list);
}

/* The rule names the only ones: they must be the only ones. It excludes some: these must be
 * excluded, or others the only ones. */
bool components_keep(const char *rule, const char *in_force)
{
	struct components r, f;

	components_read(&r, rule);
	components_read(&f, in_force);
	if (r.count == 0)
		return true;
	if (f.count == 0 || (f.excludes && !r.excludes))
		return false;
	for (int i = 0; i < f.count && !f.excludes; i++)
		if (!components_have(&r, f.item[i]))
			return false;
	for (int i = 0; i < r.count && f.excludes; i++)
		if (components_have(&f, r.item[i]))
			return false;
	return true;
}

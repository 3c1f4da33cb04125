/* harness/transport/components.h - lists of components, as the parameter of a framework has them:
 * "self,tcp" are the only ones that may be used,
 * "^han,hcoll" the only ones that may not. */
#ifndef HARNESS_TRANSPORT_COMPONENTS_H
#define HARNESS_TRANSPORT_COMPONENTS_H

#include <stdbool.h>

enum { COMPONENTS_TEXT = 512, COMPONENTS_MAX = 32 };

struct components {
	char text[COMPONENTS_TEXT];
	char *item[COMPONENTS_MAX]; /* in text */
	int count;
	bool excludes; /* all but these */
};

/* Items beyond the limits are left out. */
void components_read(struct components *c, const char *text);
bool components_have(const struct components *c, const char *name);
/* What both lists permit, as text. false: one of them names components, and none is left; out is
 * then "". */
bool components_both(const char *one, const char *other, char out[COMPONENTS_TEXT]);
/* The first component that `list` names although the rule forbids it, or the whole list if it
 * excludes all that the rule names; "": there is none. An empty list permits all. */
void components_conflict(const char *rule, const char *list, char out[COMPONENTS_TEXT]);
/* Does a process that has the list in force use nothing that the rule forbids? */
bool components_keep(const char *rule, const char *in_force);

#endif

/* harness/transport/rules.h - which components a job may have that is to survive a death (private
 * to harness/transport). */
#ifndef HARNESS_TRANSPORT_RULES_H
#define HARNESS_TRANSPORT_RULES_H

#include "harness/transport/components.h"

#include <jansson.h>

/* The framework that Rollbench has a rule for, whatever the installation's set has. */
extern const char rules_own[];
/* Member of settings and plan: the MPI gave no answer. */
#define UNASKED " unasked"

/* What components a parameter may name: those of the installation's set (NULL: there is none),
 * joined with Rollbench's own. "": it is no list, or all may be named. */
void rules_of(const char *name, const json_t *set, char out[COMPONENTS_TEXT]);

#endif

/* harness/export/export_roles.h - the rows of roles.csv: one per role and iteration, or one per role. */
#ifndef HARNESS_EXPORT_EXPORT_ROLES_H
#define HARNESS_EXPORT_EXPORT_ROLES_H

#include "harness/export/csv.h"

extern const struct csv_column export_roles_columns[];

/* Returns how many rows a record gave. */
size_t export_roles(FILE *to, const json_t *record);

#endif

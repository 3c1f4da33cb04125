/* harness/export/export.h - records as tables (docs/record.md): runs.csv, failures.csv, roles.csv. */
#ifndef HARNESS_EXPORT_EXPORT_H
#define HARNESS_EXPORT_EXPORT_H

#include <jansson.h>
#include <stdio.h>

enum export_table { EXPORT_RUNS, EXPORT_FAILURES, EXPORT_ROLES, EXPORT_TABLES };

const char *export_file(enum export_table table); /* "runs.csv" */
void export_header(FILE *to, enum export_table table);
/* The rows that a record gives. Returns how many. */
size_t export_rows(FILE *to, enum export_table table, const json_t *record);

#endif

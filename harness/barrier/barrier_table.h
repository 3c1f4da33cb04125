/* harness/barrier/barrier_table.h - what `rollbench barrier` prints of its record. */
#ifndef HARNESS_BARRIER_BARRIER_TABLE_H
#define HARNESS_BARRIER_BARRIER_TABLE_H

#include <jansson.h>
#include <stdio.h>

/* Print two tables for people: what waiting consumes with each technique, and how much later the
 * waiting ranks go on. A number that is missing in the record makes its cell "absent". */
void barrier_table(const json_t *record, FILE *to);

#endif

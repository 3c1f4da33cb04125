/* harness/export/csv.h - tables after RFC 4180: commas, CR LF, quotes only where they are needed.
 *
 * null is an empty cell, and an empty text is "". Numbers are as in the records, to the last bit. */
#ifndef HARNESS_EXPORT_CSV_H
#define HARNESS_EXPORT_CSV_H

#include <jansson.h>
#include <stdio.h>

/* A column: its name, and where in an object its values are: "log.bytes_peak.max". An array of plain
 * values becomes a text with blanks between them; "#failures" is the length of an array. */
struct csv_column {
	const char *name, *path;
};

/* Columns end with a name that is NULL. */
void csv_header(FILE *to, const struct csv_column *columns);
/* A line: what `from` has of them. */
void csv_line(FILE *to, const struct csv_column *columns, const json_t *from);

#endif

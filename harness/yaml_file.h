/* harness/yaml_file.h - a YAML file checked against a schema by libcyaml, with complaints of one line. */
#ifndef HARNESS_YAML_FILE_H
#define HARNESS_YAML_FILE_H

#include "base/error.h"

#include <cyaml/cyaml.h>

/* Load path into *out, a pointer as the schema's top value says. RB_OK; RB_EIO: it cannot be read;
 * RB_EINVAL: "path:line: what is wrong (the keys are in `doc`)". The caller frees with
 * yaml_file_free(). */
int yaml_file_load(const char *path, const cyaml_schema_value_t *schema, const char *doc,
		   cyaml_data_t **out, struct rb_error *err);
void yaml_file_free(const cyaml_schema_value_t *schema, cyaml_data_t *data); /* NULL is fine */

/* The first line at or after `from` (from 1) that sets this key, for complaints about its value; the
 * last line if there is none. */
int yaml_file_line(const char *path, const char *key, int from);

#endif

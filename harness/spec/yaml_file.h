/* harness/spec/yaml_file.h - a YAML file checked against a schema by libcyaml, with complaints of one line. */
#ifndef HARNESS_SPEC_YAML_FILE_H
#define HARNESS_SPEC_YAML_FILE_H

#include "base/error.h"
#include "harness/spec/yaml_index.h"

#include <cyaml/cyaml.h>

/* Load path into *out, a pointer as the schema's top value says. lists: keys that may have a scalar where
 * the schema has a list (harness/spec/yaml_index.h); NULL: none. RB_OK; RB_EIO: it cannot be read; RB_EINVAL:
 * "path:line: what is wrong (the keys are in `doc`)". The caller frees *out with yaml_file_free(), and
 * *index, which tells the lines for complaints about values, with yaml_index_free(). */
int yaml_file_load(const char *path, const cyaml_schema_value_t *schema, const char *const *lists,
		   const char *doc, cyaml_data_t **out, struct yaml_index **index, struct rb_error *err);
void yaml_file_free(const cyaml_schema_value_t *schema, cyaml_data_t *data); /* NULL is fine */

#endif

/* Experiment files in a build without libfyaml: none can be read. */
#include "harness/options/yaml.h"

#include "base/build.h"

int yaml_load(const char *path, const char *doc, struct yaml_file **out, struct rb_error *err)
{
	(void)doc;
	*out = NULL;
	return library_refuse(err, path, "fyaml");
}

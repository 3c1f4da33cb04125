/* base/build_json.h - which program made a record. */
#ifndef BASE_BUILD_JSON_H
#define BASE_BUILD_JSON_H

#include "build_info.h"

#include <jansson.h>

/* {"version", "commit"}, for the key "rollbench" of a record. New reference. */
static inline json_t *build_json(void)
{
	return json_pack("{s:s, s:s}", "version", BUILD_VERSION, "commit", BUILD_COMMIT);
}

#endif

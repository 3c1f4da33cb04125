/* base/libraries.h - which optional libraries this build has (scripts/libraries finds them). */
#ifndef BASE_LIBRARIES_H
#define BASE_LIBRARIES_H

#include "base/error.h"

#include <stdbool.h>

/* One that can be left out. `make` defines HAVE_ and its name in capitals as 1 where it is there, else as 0. */
struct library {
	const char *name;
	bool here;
	const char *use;     /* what there is not without it */
	const char *package; /* Debian's name of what building needs */
};
/* In the order of importance; ends with a NULL name. */
extern const struct library libraries[];

/* All that were found, with their versions where these are known: "hwloc-2.12.0 jansson-2.14 ..." */
extern const char libraries_found[];

/* Refuse `what`, which needs a library that this build has not: names both, and the remedy. Returns RB_EINVAL. */
int library_refuse(struct rb_error *err, const char *what, const char *name);
/* The same remedy for a line of text: "built without NAME; remedy: ...". */
const char *library_remedy(const char *name);

#endif

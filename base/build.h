/* base/build.h - what this program was built with: the optional libraries that it has
 * (scripts/libraries finds them), and the processor. A program that was compiled for another
 * processor says so before main(), with exit status 2, instead of dying of an unknown instruction;
 * so build.c itself is compiled for any of them (rules.mk). */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

#include "base/error.h"
#include "base/status.h"

#include <stdbool.h>

/* One that can be left out. `make` defines HAVE_ and its name in capitals as 1 where it is there,
 * else as 0. */
struct library {
	const char *name;
	bool here;
	const char *use;     /* what there is not without it */
	const char *package; /* Debian's name of what building needs */
};
/* In the order of importance; ends with a NULL name. */
extern const struct library libraries[];

/* All that were found, with their versions where these are known: "hwloc-2.12.0 jansson-2.14
 * ..." */
extern const char libraries_found[];

/* "this build has no library NAME; remedy: ..." */
const char *library_remedy(const char *name);
/* Refuse `what`, which needs a library that this build has not. Returns RB_EINVAL. */
static inline int library_refuse(struct rb_error *err, const char *what, const char *name)
{
	return rb_fail(err, RB_EINVAL, "%.200s: %s", what, library_remedy(name));
}

#endif

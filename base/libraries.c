#include "base/libraries.h"

#include "base/status.h"
#include "build_info.h"

#include <stdio.h>
#include <string.h>

const struct library libraries[] = {
	{ "fyaml", HAVE_FYAML, "experiment files: sweep, simulate FILE, --power-model", "libfyaml-dev" },
	{ "papi", HAVE_PAPI, "cycles, instructions, energy but by powercap", "libpapi-dev" },
	{ "isal", HAVE_ISAL, "--ckpt rs:K+M, profiles in .gz; CRC are slower", "libisal-dev" },
	{ "cpupower", HAVE_CPUPOWER, "--power dvfs, dvfs+cm", "libcpupower-dev" },
	{ "simgrid", HAVE_SIMGRID, "--engine simgrid", "libsimgrid-dev" },
	{ "cmocka", HAVE_CMOCKA, "unit tests: make test", "libcmocka-dev" },
	{ .name = NULL },
};

const char libraries_found[] = BUILD_LIBRARIES;

static const char *package_of(const char *name)
{
	const struct library *l = libraries;

	while (l->name && strcmp(l->name, name) != 0)
		l++;
	return l->name ? l->package : name;
}

const char *library_remedy(const char *name)
{
	static char text[160];

	snprintf(text, sizeof text, "this build has no library %s; remedy: install it (Debian: %s) and run `make` again", name,
		 package_of(name));
	return text;
}

int library_refuse(struct rb_error *err, const char *what, const char *name)
{
	return rb_fail(err, RB_EINVAL, "%.200s: %s", what, library_remedy(name));
}

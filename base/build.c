#include "base/build.h"

#include "build_info.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct library libraries[] = {
	{ "fyaml", HAVE_FYAML, "experiment files: sweep, simulate FILE, papers run, --power-model",
	  "libfyaml-dev" },
	{ "papi", HAVE_PAPI, "cycles, instructions, energy other than by powercap", "libpapi-dev" },
	{ "isal", HAVE_ISAL, "--ckpt rs:K+M, profiles in .gz", "libisal-dev" },
	{ "cpupower", HAVE_CPUPOWER, "--power dvfs, dvfs+cm", "libcpupower-dev" },
	{ "pmix", HAVE_PMIX, "--detector host", "libpmix-dev" },
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

	snprintf(text, sizeof text,
		 "this build has no library %s; remedy: install it (Debian: %s) and run "
		 "`make` again",
		 name, package_of(name));
	return text;
}

#if defined __x86_64__ || defined __i386__

/* BUILD_NEEDS has the extensions that the compiler was allowed to use, as __builtin_cpu_supports()
 * names them. */
#define TELL(name)                         \
	if (!__builtin_cpu_supports(name)) \
		missing = name;

static const char *find_missing(void)
{
	const char *missing = NULL;

	__builtin_cpu_init();
	BUILD_NEEDS(TELL)
	return missing;
}

__attribute__((constructor(101))) static void check_cpu(void)
{
	const char *missing = find_missing();

	if (!missing)
		return;
	fprintf(stderr,
		"rollbench: compiled for the CPU %s (%s), but this one has no %s; remedy: compile "
		"it here, or for all of them: make CFLAGS=\"-O3 -g\"\n",
		BUILD_CPU, BUILD_FLAGS, missing);
	_exit(2);
}

#endif

/* A program that was compiled for another processor says so before it begins, instead of dying of an unknown instruction. This file
 * is compiled for any processor (rules.mk). */
#include "build_info.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#if defined __x86_64__ || defined __i386__

/* BUILD_NEEDS has the extensions that the compiler was allowed to use, as __builtin_cpu_supports() names them. */
#define TELL(name)                                                          \
	if (!__builtin_cpu_supports(name))                                  \
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
	fprintf(stderr, "rollbench: compiled for the CPU %s (%s), but this one has no %s; remedy: compile it here, or for all "
		"of them: make CFLAGS=\"-O3 -g\"\n", BUILD_CPU, BUILD_FLAGS, missing);
	_exit(2);
}

#endif

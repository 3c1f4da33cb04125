/* The doctor's view of this build: its processor, the libraries that it has, and those that it has
 * not. */
#include "base/build.h"
#include "build_info.h"
#include "harness/doctor/doctor.h"

#include <stddef.h>

void doctor_build(void)
{
	doctor_say(DOCTOR_OK, "build", "%s, %s, for the CPU %s", BUILD_COMPILER, BUILD_FLAGS,
		   BUILD_CPU);
	doctor_say(DOCTOR_OK, "libraries", "%s", libraries_found);
	for (const struct library *l = libraries; l->name; l++)
		if (!l->here)
			doctor_say(DOCTOR_ABSENT, "libraries",
				   "%s, so no %s; remedy: install it (Debian: %s) and run "
				   "`make` again",
				   l->name, l->use, l->package);
}

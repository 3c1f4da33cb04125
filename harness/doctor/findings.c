#include "harness/doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>

void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "ok", "warning", "absent", "FAIL" };
	va_list args;

	printf("%-10s %-8s ", what, words[finding]);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

#include "harness/record/status.h"

#include <string.h>

static const char *const names[STATUS_COUNT] = {
	[STATUS_OK] = "ok",     [STATUS_WRONG] = "wrong", [STATUS_USAGE] = "usage",
	[STATUS_HANG] = "hang", [STATUS_ABORT] = "abort", [STATUS_OUT_OF_SPARES] = "out-of-spares",
};

const char *status_name(enum run_status status)
{
	return names[status];
}

enum run_status status_find(const char *name)
{
	for (int i = 0; i < STATUS_COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return (enum run_status)i;
	return STATUS_ABORT;
}

#include "base/program.h"

#include <unistd.h>

void program_path(char *out, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", out, size - 1);

	out[length > 0 ? length : 0] = '\0';
}

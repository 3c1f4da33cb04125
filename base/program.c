#include "base/program.h"

#include <string.h>
#include <unistd.h>

static const char name[] = "rollbench_worker";

void program_path(char *out, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", out, size - 1);

	out[length > 0 ? length : 0] = '\0';
}

const struct program_ranks *program_ranks(void)
{
	static struct program_ranks ranks;
	char *slash;

	if (ranks.path[0])
		return &ranks;
	program_path(ranks.path, sizeof ranks.path - sizeof name);
	slash = strrchr(ranks.path, '/');
	strcpy(slash ? slash + 1 : ranks.path, name);
	if (stat(ranks.path, &ranks.file) != 0)
		memset(&ranks.file, 0, sizeof ranks.file);
	return &ranks;
}

bool program_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

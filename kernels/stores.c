#include "kernels/stores.h"

#include "base/text.h"
#include "contract/arguments.h"
#include "kernels/vector.h"

#include <stdio.h>
#include <string.h>

int stores_argument(const struct kernel_args *args, int option, enum stores *out,
		    struct rb_error *err)
{
	static const char *const names[] = {
		[STORES_AUTO] = "auto", [STORES_CACHED] = "cached", [STORES_STREAMING] = "streaming"
	};
	const int which = argument_word(args, option, names, sizeof names / sizeof *names);

	if (which < 0)
		return rb_fail(err, RB_EINVAL, "--stores %.40s: expected auto, cached or streaming",
			       args->value[option]);
	if (out)
		*out = (enum stores)which;
	return RB_OK;
}

/* The first line of index<i>/<name> in this folder. */
static bool line_of(const char *folder, int i, const char *name, char *line, size_t size)
{
	char path[512];
	FILE *f;
	bool there;

	if (snprintf(path, sizeof path, "%s/index%d/%s", folder, i, name) >= (int)sizeof path)
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	there = text_line(f, line, size);
	fclose(f);
	return there;
}

/* "32768K"; 0: this is no size. */
static size_t bytes_of(const char *text)
{
	int64_t n;

	if (!text_digits(&text, &n) || n > INT32_MAX || (*text && text[1]))
		return 0;
	switch (*text) {
	case '\0':
		return (size_t)n;
	case 'K':
		return (size_t)n << 10;
	case 'M':
		return (size_t)n << 20;
	default:
		return 0;
	}
}

/* Processing units that share the cache index<i>, from a mask such as "00000000,0000000f"; 0: not
 * known. (hwloc reads it, too, but its first bitmap took 0.7 ms.) */
static size_t units_of(const char *folder, int i)
{
	static const char digits[] = "0123456789abcdef";
	char line[1024];
	size_t bits = 0;

	if (!line_of(folder, i, "shared_cpu_map", line, sizeof line))
		return 0;
	for (const char *c = line; *c; c++) {
		const char *at = strchr(digits, *c);

		bits += at ? (size_t)__builtin_popcount((unsigned)(at - digits)) : 0;
	}
	return bits;
}

size_t stores_cache_share(const char *folder)
{
	size_t bytes, units, units_of_core = 0;
	int64_t level, last_level = 0;
	int last = 0;
	char line[64];

	for (int i = 0;
	     line_of(folder, i, "level", line, sizeof line) && text_integer(line, 1, 9, &level);
	     i++) {
		if (level < last_level || !line_of(folder, i, "type", line, sizeof line) ||
		    strcmp(line, "Instruction") == 0)
			continue;
		last_level = level;
		last = i;
		if (level == 1)
			units_of_core = units_of(folder, i);
	}
	if (units_of_core == 0)
		return 0;
	bytes = line_of(folder, last, "size", line, sizeof line) ? bytes_of(line) : 0;
	units = units_of(folder, last);
	return units < units_of_core ? 0 : bytes / (units / units_of_core);
}

bool stores_stream(enum stores stores, size_t bytes, size_t share)
{
	if (stores != STORES_AUTO)
		return stores == STORES_STREAMING;
	return share > 0 && bytes > share;
}

int stores_choose(const struct kernel_args *args, int option, size_t bytes, bool *stream,
		  struct rb_error *err)
{
	enum stores stores = STORES_AUTO;
	size_t share = 0;

	RB_TRY(stores_argument(args, option, &stores, err));
	if (!vector_streams() && stores == STORES_STREAMING)
		return rb_fail(err, RB_EINVAL,
			       "--stores streaming: only builds for x86 processors with SSE2 have "
			       "non-temporal stores; use auto or cached");
	/* A replacement does this in a recovery, so the files are read only if they decide. */
	if (vector_streams() && stores == STORES_AUTO)
		share = stores_cache_share(STORES_CACHES);
	*stream = stores_stream(stores, bytes, share);
	return RB_OK;
}

#include "kernels/stores.h"

#include "base/text.h"
#include "kernels/vector.h"

#include <stdio.h>
#include <string.h>

int stores_argument(const struct kernel_args *args, int option, enum stores *out,
		    struct rb_error *err)
{
	static const char *const names[] = {
		[STORES_AUTO] = "auto", [STORES_CACHED] = "cached", [STORES_STREAMING] = "streaming"
	};
	const char *text = args->value[option];
	int which = STORES_AUTO;

	while (text && which <= STORES_STREAMING && strcmp(text, names[which]) != 0)
		which++;
	if (which > STORES_STREAMING)
		return rb_fail(err, RB_EINVAL, "--stores %.40s: expected auto, cached or streaming",
			       text);
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

/* Bits of a mask such as "00000000,0000000f". */
static size_t bits_of(const char *text)
{
	size_t bits = 0;

	for (; *text; text++) {
		const char *digits = "0123456789abcdef", *at = strchr(digits, *text);

		bits += at ? (size_t)__builtin_popcount((unsigned)(at - digits)) : 0;
	}
	return bits;
}

size_t stores_cache_share(const char *folder)
{
	size_t bytes = 0, units = 0, units_of_core = 0;
	int64_t level, last = 0;
	char line[1024];

	for (int i = 0;
	     line_of(folder, i, "level", line, sizeof line) && text_integer(line, 1, 9, &level);
	     i++) {
		if (level < last || !line_of(folder, i, "type", line, sizeof line) ||
		    strcmp(line, "Instruction") == 0)
			continue;
		last = level;
		bytes = line_of(folder, i, "size", line, sizeof line) ? bytes_of(line) : 0;
		units = line_of(folder, i, "shared_cpu_map", line, sizeof line) ? bits_of(line) : 0;
		if (level == 1)
			units_of_core = units;
	}
	if (units_of_core == 0 || units < units_of_core)
		return 0;
	return bytes / (units / units_of_core);
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

	RB_TRY(stores_argument(args, option, &stores, err));
	if (!vector_streams() && stores == STORES_STREAMING)
		return rb_fail(err, RB_EINVAL,
			       "--stores streaming: only builds for x86 processors with SSE2 have "
			       "non-temporal stores; use auto or cached");
	*stream =
		vector_streams() && stores_stream(stores, bytes, stores_cache_share(STORES_CACHES));
	return RB_OK;
}

#include "kernels/stores.h"

#include "kernels/vector.h"

#include <string.h>
#include <unistd.h>

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
	if (which == STORES_STREAMING && !vector_streams())
		return rb_fail(err, RB_EINVAL,
			       "--stores streaming: only builds for x86 processors with SSE2 have "
			       "such stores; use auto or cached");
	if (out)
		*out = (enum stores)which;
	return RB_OK;
}

/* Bytes; 0: not known. */
static size_t last_level_cache(void)
{
	long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

	if (bytes <= 0)
		bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
	return bytes > 0 ? (size_t)bytes : 0;
}

bool stores_stream(enum stores stores, size_t bytes)
{
	const size_t cache = last_level_cache();

	if (stores != STORES_AUTO)
		return stores == STORES_STREAMING;
	return vector_streams() && cache > 0 && bytes > cache / 2;
}

/* The detector of a host where the library pmix is not there. */
#include "base/build.h"
#include "base/status.h"
#include "harness/rank/detector.h"

#include <stddef.h>

struct detector *detector_start(const char *dir, int job, int most, struct rb_error *err)
{
	(void)dir, (void)job, (void)most;
	rb_fail(err, RB_EINVAL, "%s", library_remedy("pmix"));
	return NULL;
}

void detector_stop(struct detector *d)
{
	(void)d;
}

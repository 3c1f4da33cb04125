#include "kernels/arguments.h"

#include "base/text.h"

#include <inttypes.h>

int argument_number(const struct kernel_option *options, const struct kernel_args *args, int option, int64_t least,
		    int64_t most, int64_t *out, struct rb_error *err)
{
	if (text_integer(args->value[option], least, most, out))
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "--%s %s: expected a number from %" PRId64 " to %" PRId64, options[option].name,
		       args->value[option], least, most);
}

#include "contract/arguments.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

int argument_number(const struct kernel_option *options, const struct kernel_args *args, int option,
		    int64_t least, int64_t most, int64_t *out, struct rb_error *err)
{
	if (text_integer(args->value[option], least, most, out))
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "--%s %s: expected a number from %" PRId64 " to %" PRId64,
		       options[option].name, args->value[option], least, most);
}

int argument_word(const struct kernel_args *args, int option, const char *const *words, int count)
{
	const char *text = args->value[option];

	for (int k = 0; text && k < count; k++)
		if (strcmp(text, words[k]) == 0)
			return k;
	return text ? -1 : 0;
}

static const char *const shapes[] = {
	[MSG_DOUBLING] = "doubling", [MSG_BINOMIAL] = "binomial", [MSG_RING] = "ring",
	[MSG_CENTRAL] = "central",   [MSG_GRID] = "grid",
};

int argument_shape(const struct kernel_args *args, int option, const struct msg_shape *standard,
		   struct msg_shape *out, struct rb_error *err)
{
	const char *text = args->value[option];
	const int kinds = standard->axes > 0 ? MSG_GRID + 1 : MSG_GRID;
	const int kind = argument_word(args, option, shapes, kinds);

	*out = *standard;
	if (!text || strcmp(text, "auto") == 0)
		return RB_OK;
	if (kind >= 0) {
		out->kind = (enum msg_shape_kind)kind;
		return RB_OK;
	}
	return rb_fail(
		err, RB_EINVAL, "--reduce %.40s: expected auto, doubling, binomial, ring%s", text,
		kinds > MSG_GRID
			? ", central or grid"
			: " or central; grid is for kernels that reduce over a grid of roles");
}

#include "forecast/pattern/stencil_pattern.h"

#include <limits.h>
#include <string.h>

/* Along an axis: back, none, ahead, by up to `width`. */
static int steps_of(const struct stencil_pattern *s)
{
	return 2 * s->width + 1;
}

/* The role that lies in a direction; -1: beyond the border, or the role itself. *differing: number
 * of axes with a step. */
static int neighbour(const struct stencil_pattern *s, int role, int direction, int *differing)
{
	const int steps = steps_of(s);
	int stride = 1, to = 0;

	*differing = 0;
	for (int a = s->axes - 1; a >= 0; a--) {
		int step = direction % steps - s->width, at = role / stride % s->length[a] + step;

		if (s->periodic)
			at = (at % s->length[a] + s->length[a]) % s->length[a];
		if (at < 0 || at >= s->length[a])
			return -1;
		*differing += step != 0;
		to += at * stride;
		stride *= s->length[a];
		direction /= steps;
	}
	return to == role ? -1 : to;
}

/* The number of bytes that go in a direction; 0: none. *to: the neighbour there. */
static size_t message(const struct stencil_pattern *s, int role, int direction, int *to)
{
	int differing;

	*to = neighbour(s, role, direction, &differing);
	return *to >= 0 ? s->bytes[differing - 1] : 0;
}

/* All receives are posted, all messages are sent, and one wait follows. Tags name the direction in
 * which a message goes. */
static int operations(const struct pattern *pattern, int role, int64_t iter, pattern_watch *watch,
		      void *ctx)
{
	const struct stencil_pattern *s = (const struct stencil_pattern *)pattern;
	struct pattern_operation o = { .kind = PATTERN_RECEIVE };
	int directions = 1;

	(void)iter;
	for (int a = 0; a < s->axes; a++)
		directions *= steps_of(s);
	for (int d = 0; d < directions; d++) {
		/* it comes from where d leads, so it goes the opposite way */
		o.tag = directions - 1 - d;
		o.bytes = message(s, role, d, &o.peer);
		if (o.bytes > 0)
			RB_TRY(watch(ctx, &o));
	}
	o.kind = PATTERN_SEND;
	for (int d = 0; d < directions; d++) {
		o.tag = d;
		o.bytes = message(s, role, d, &o.peer);
		if (o.bytes > 0)
			RB_TRY(watch(ctx, &o));
	}
	return watch(ctx, &(struct pattern_operation){ PATTERN_WAIT, -1, -1, 0, false });
}

int stencil_pattern_init(struct stencil_pattern *s, int axes, const int *length, bool periodic,
			 const size_t *bytes, struct rb_error *err)
{
	int64_t roles = 1;

	memset(s, 0, sizeof *s);
	if (axes < 1 || axes > STENCIL_AXES)
		return rb_fail(err, RB_EINVAL, "a stencil of %d axes: expected 1 to %d", axes,
			       STENCIL_AXES);
	for (int a = 0; a < axes; a++) {
		if (length[a] < 1)
			return rb_fail(err, RB_EINVAL,
				       "a stencil with %d roles along axis %d: expected at least 1",
				       length[a], a);
		roles *= length[a];
		if (roles > INT_MAX)
			return rb_fail(err, RB_EINVAL, "a stencil of more than %d roles", INT_MAX);
		s->length[a] = length[a];
		s->bytes[a] = bytes[a];
	}
	s->axes = axes;
	s->width = 1;
	s->periodic = periodic;
	s->pattern = (struct pattern){ (int)roles, operations };
	return RB_OK;
}

void stencil_pattern_widen(struct stencil_pattern *s, int width)
{
	s->width = width;
}

const struct stencil_pattern *stencil_of(const struct pattern *p)
{
	const struct stencil_pattern *s = (const struct stencil_pattern *)p;

	return p->operations == operations && s->width == 1 ? s : NULL;
}

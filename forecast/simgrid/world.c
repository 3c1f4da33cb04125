#include "forecast/simgrid/world.h"

#include "base/status.h"

#include <math.h>
#include <simgrid/engine.h>

/* Half ticks. SimGrid takes times as equal whose difference is 1e-12 s, and divides. */
static const double NEAR = 0.1;

int64_t world_half_ticks(struct world *w)
{
	const double half = simgrid_get_clock() * (2 * TICKS_PER_SECOND), near = rint(half);

	if (fabs(half - near) > (w->rounds ? NEAR : 0))
		world_fail(w, RB_EINVAL, "SimGrid's clock is not at a whole or half tick");
	return (int64_t)near;
}

int64_t world_now(struct world *w)
{
	const int64_t half = world_half_ticks(w);

	if (half % 2)
		world_fail(w, RB_EINVAL, "SimGrid's clock is between two ticks");
	return half / 2;
}

void world_fail(struct world *w, int rc, const char *text)
{
	if (w->rc == RB_OK)
		w->rc = rb_fail(w->err, rc, "%s", text);
	sg_actor_kill_all();
	sg_actor_exit();
}

void world_sleep(int64_t ticks)
{
	if (ticks > 0)
		sg_actor_sleep_for(seconds_of(ticks));
}

void world_round_up(struct world *w)
{
	const double now = simgrid_get_clock(), half = now * (2 * TICKS_PER_SECOND),
		     least = 2 * rint(half / 2);
	const double tick = fabs(half - least) <= NEAR ? least / 2 : ceil(half / 2);

	if (w->rounds && tick / TICKS_PER_SECOND - now > 2e-12)
		sg_actor_sleep_until(tick / TICKS_PER_SECOND);
}

void world_start(sg_actor_t *actor, const char *name, sg_host_t host, void (*code)(void *),
		 void *data, unsigned stack)
{
	*actor = sg_actor_init(name, host);
	sg_actor_set_stacksize(*actor, stack);
	sg_actor_start_voidp(*actor, code, data);
}

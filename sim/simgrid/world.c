#include "sim/simgrid/world.h"

#include "base/status.h"

#include <math.h>
#include <simgrid/engine.h>

int64_t world_half_ticks(struct world *w)
{
	const double half = simgrid_get_clock() * (2 * TICKS_PER_SECOND);

	if (half != floor(half))
		world_fail(w, RB_EINVAL, "SimGrid's clock is not at a whole or half tick");
	return (int64_t)half;
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

void world_start(sg_actor_t *actor, const char *name, sg_host_t host, void (*code)(void *), void *data,
		 unsigned stack)
{
	*actor = sg_actor_init(name, host);
	sg_actor_set_stacksize(*actor, stack);
	sg_actor_start_voidp(*actor, code, data);
}

/* The energy of the hosts, by SimGrid's plugin host_energy.
 *
 * A host with all roles waiting takes their watts, and each core that works adds those of computing
 * less those of waiting. SimGrid calls power states of a host pstates. A host has one for each
 * number of its roles that are off and that wait capped; its speed is the same in all of them. */
#include "forecast/simgrid/world.h"

#include "base/status.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/plugins/energy.h>
#include <stdlib.h>

int energy_host_states(const struct platform *p)
{
	const int each = platform_roles(p) + 1;

	return each * each;
}

bool energy_is_metered(const struct model *m)
{
	for (int i = 0; i < STATES; i++)
		if (m->watts[i] > 0)
			return true;
	return false;
}

/* "idle:hardly busy:all cores" for each state; between the last two SimGrid interpolates. */
void energy_write(FILE *f, const struct model *m)
{
	const int roles = platform_roles(&m->platform), cores = platform_cores(&m->platform);
	const double core = m->watts[STATE_COMPUTE] - m->watts[STATE_WAIT];

	fprintf(f, "<prop id=\"wattage_per_state\" value=\"");
	for (int off = 0; off <= roles; off++)
		for (int capped = 0; capped <= roles; capped++) {
			const int rest = roles - off - capped;
			/* More than all roles cannot be in any state. */
			const double idle = rest < 0 ? 0
						     : rest * m->watts[STATE_WAIT] +
							       off * m->watts[STATE_OFF] +
							       capped * m->watts[STATE_CAPPED];

			fprintf(f, "%s%.17g:%.17g:%.17g", off + capped ? "," : "", idle, idle,
				idle + core * cores);
		}
	fprintf(f, "\"/>\n");
}

void energy_begin(struct world *w)
{
	for (int h = 0; w->metered && h < w->hosts; h++)
		w->host[h].at = platform_host(h);
}

static struct host *host_of(struct world *w, int role)
{
	return &w->host[role / platform_roles(&w->m->platform)];
}

static void tell(const struct world *w, const struct host *h)
{
	sg_host_set_pstate(
		h->at, (unsigned long)(h->off * (platform_roles(&w->m->platform) + 1) + h->capped));
}

void energy_switch(struct world *w, int role, bool off)
{
	struct host *h = host_of(w, role);

	if (!w->metered || w->role[role].dark == off)
		return;
	w->role[role].dark = off;
	h->off += off ? 1 : -1;
	tell(w, h);
}

struct replacement {
	struct world *w;
	int role;
};

/* An actor, since another repair may begin before this one is over. */
static void switch_on(void *replacement)
{
	struct replacement r = *(struct replacement *)replacement;
	struct role *role = &r.w->role[r.role];

	free(replacement);
	sg_actor_sleep_until(seconds_of(role->off));
	if (role->died == NEVER && role->off <= world_now(r.w))
		energy_switch(r.w, r.role, false);
}

void energy_replace(struct world *w, int role)
{
	struct replacement *r = w->metered ? malloc(sizeof *r) : NULL;
	sg_actor_t actor;

	if (w->metered && !r)
		world_fail(w, RB_ENOMEM, "out of memory");
	if (!r)
		return;
	*r = (struct replacement){ w, role };
	world_start(&actor, "replacement", w->role[role].host, switch_on, r, STACK_MESSAGE);
}

void energy_cap(struct process *p, bool cap)
{
	struct world *w = p->w;
	struct host *h = host_of(w, p->role);

	if (!w->metered || p->dim == cap)
		return;
	p->dim = cap;
	h->capped += cap ? 1 : -1;
	tell(w, h);
}

void energy_end(struct world *w)
{
	/* The last host may have fewer roles. SimGrid counts the others as waiting. */
	const int absent = w->hosts * platform_roles(&w->m->platform) - w->np;

	for (int h = 0; w->metered && h < w->hosts; h++)
		w->r->host_energy_j += sg_host_get_consumed_energy(w->host[h].at);
	w->r->host_energy_j -= absent * w->m->watts[STATE_WAIT] * simgrid_get_clock();
}

#include "forecast/simgrid/engine.h"

#include "base/status.h"
#include "forecast/simgrid/world.h"

#include <simgrid/engine.h>
#include <stdlib.h>

static double broken_off;

double simgrid_capped_broken_off_s(void)
{
	return broken_off;
}

static void make_roles(struct world *w)
{
	for (int r = 0; r < w->np; r++) {
		w->role[r] =
			(struct role){ .host = platform_host(r / platform_roles(&w->m->platform)),
				       .gate = NEVER,
				       .died = NEVER };
		w->role[r].own = process_new(w, r, false, false, 0);
		w->role[r].own->open = true;
		process_start(w->role[r].own);
	}
	for (size_t i = 0; i < w->count; i++)
		w->due[i] = w->list[i].at >= 0 ? w->list[i].at : NEVER;
}

static void collect(struct world *w)
{
	for (int r = 0; r < w->np; r++)
		w->r->end[r] = w->role[r].end;
	while (w->newest) {
		struct process *p = w->newest;

		w->newest = p->older;
		process_free(p);
	}
}

static int play(struct world *w)
{
	sg_actor_t controller;

	RB_TRY(platform_load(w->m, w->metered, w->err));
	energy_begin(w);
	w->news = sg_sem_init(0);
	make_roles(w);
	world_start(&controller, "controller", w->role[0].host, failures_control, w, STACK_CONTROL);
	simgrid_run();
	energy_end(w);
	collect(w);
	sg_sem_destroy(w->news);
	if (w->rc == RB_OK && !w->ended)
		return rb_fail(w->err, RB_EINVAL,
			       "SimGrid ended the simulation before all roles were done");
	return w->rc;
}

int simulate_simgrid(const struct model *m, const struct failure *list, size_t count,
		     struct result *r, struct rb_error *err)
{
	const size_t n = (size_t)m->pattern->np;
	struct world w = { .m = m,
			   .np = m->pattern->np,
			   .running = m->pattern->np,
			   .list = list,
			   .count = count,
			   .stop = NEVER,
			   .again = NEVER,
			   .r = r,
			   .err = err,
			   .rounds = platform_shares(&m->platform),
			   .metered = energy_is_metered(m),
			   .hosts = platform_hosts(&m->platform, m->pattern->np) };
	int rc = result_init(r, w.np);

	w.host = calloc((size_t)w.hosts, sizeof *w.host);
	w.role = calloc(n, sizeof *w.role);
	w.line = calloc(n, sizeof *w.line);
	w.dead = calloc(n, sizeof *w.dead);
	w.front = calloc(n, sizeof *w.front);
	w.due = calloc(count + 1, sizeof *w.due);
	w.happened = calloc(count + 1, sizeof *w.happened);
	if (rc == RB_OK)
		rc = w.host && w.role && w.line && w.dead && w.front && w.due && w.happened
			     ? play(&w)
			     : RB_ENOMEM;
	broken_off = (double)w.capped_half / (2 * TICKS_PER_SECOND);
	decision_free(&w.now);
	free(w.host);
	free(w.role);
	free(w.line);
	free(w.dead);
	free(w.front);
	free(w.due);
	free(w.happened);
	if (rc == RB_OK)
		result_close(r, m, w.state);
	else
		result_free(r);
	return rc == RB_ENOMEM ? rb_fail(err, rc, "out of memory for %d roles", m->pattern->np)
			       : rc;
}

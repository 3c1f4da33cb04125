/* tests/played_kernel.h - a kernel that runs without MPI: its roles, as threads of
 * tests/local_port.h, make steps and verify. */
#ifndef TESTS_PLAYED_KERNEL_H
#define TESTS_PLAYED_KERNEL_H

#include "contract/kernel.h"
#include "tests/local_port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct play {
	const struct kernel_ops *kernel;
	const struct kernel_args *args;
	int64_t steps; /* how many to make; 0: until the kernel is finished */
	bool shorter;  /* messages may be shorter than their receives */
	/* called between the last step and verify() */
	void (*damage)(struct kernel_state *s, int wrong);
	int wrong; /* for damage() */
};

struct role {
	struct local_port port;
	const struct play *play;
	const struct kernel_ops *kernel;
	struct kernel_state *s;
	struct kernel_verdict verdict;
	int rc;
};

static int play_role(struct role *r)
{
	const struct play *p = r->play;
	struct rb_error err;

	RB_TRY(p->kernel->create(&r->s, p->args, r->port.msg.role, r->port.msg.np, NULL, &err));
	for (int64_t i = 0;
	     (p->steps == 0 || i < p->steps) && !(p->kernel->finished && p->kernel->finished(r->s));
	     i++) {
		r->port.iter = i;
		RB_TRY(p->kernel->step(r->s, &r->port.msg, i));
		p->kernel->commit(r->s, i);
	}
	p->damage(r->s, p->wrong);
	return p->kernel->verify(r->s, &r->port.msg, &r->verdict);
}

static void *play_thread(void *role)
{
	struct role *r = role;

	r->rc = play_role(r);
	return NULL;
}

/* All roles, behind verify(), which the caller gives back to play_end(). */
static struct role *play_begin(struct local_world *w, int np, const struct play *p)
{
	struct role *role = calloc((size_t)np, sizeof *role);

	assert_non_null(role);
	local_world_init(w, np);
	w->shorter = p->shorter;
	for (int r = 0; r < np; r++) {
		role[r].play = p;
		role[r].kernel = p->kernel;
		local_port_init(&role[r].port, w, r);
	}
	local_run(np, play_thread, role, sizeof *role);
	for (int r = 0; r < np; r++) {
		assert_int_equal(role[r].rc, RB_OK);
		role[r].play = NULL;
	}
	return role;
}

/* No message may be left. */
static void play_end(struct local_world *w, struct role *role)
{
	for (int r = 0; r < w->np; r++) {
		role[r].kernel->destroy(role[r].s);
		local_port_free(&role[r].port);
	}
	assert_int_equal(local_world_free(w), 0);
	free(role);
}

#endif

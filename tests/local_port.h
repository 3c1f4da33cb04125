/* tests/local_port.h - all roles of a kernel as threads of one process, without MPI.
 *
 * A world has a mailbox for each role; a port puts messages into the mailboxes of a world and takes
 * posted ones out of its own. Order is kept per (source, tag). Sizes must match, unless the world
 * allows messages that are shorter than their receives. Every send, receive and wait is recorded. A
 * role that waits for longer than LOCAL_PATIENCE_S, or gets a message of a wrong size, gets
 * RB_LOST; `trouble` says why. */
#ifndef TESTS_LOCAL_PORT_H
#define TESTS_LOCAL_PORT_H

#include "contract/port.h"
#include "contract/pattern.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOCAL_PATIENCE_S = 30, LOCAL_ROLES = 64 };

struct local_message {
	struct local_message *next;
	int src, dst, tag;
	size_t bytes;
	_Alignas(64) char data[];
};

struct local_world {
	int np;
	bool shorter; /* messages may be shorter than their receives */
	struct local_box {
		pthread_mutex_t lock;
		pthread_cond_t come;
		struct local_message *first, **end;
	} *box; /* np */
};

struct local_operation {
	int64_t iter;
	struct pattern_operation is;
};

struct local_port {
	struct msg msg;
	struct local_world *world;
	int64_t iter;   /* that is recorded with the operations */
	bool reduction; /* over all roles, under way */
	struct local_message *slot;
	struct local_expected {
		int src, tag;
		void *buf;
		size_t bytes;
	} expected[MSG_POST_MAX];
	int count;
	struct local_operation *done;
	size_t operations, room;
	char trouble[160];
};

static void local_world_init(struct local_world *w, int np)
{
	w->np = np;
	w->shorter = false;
	w->box = calloc((size_t)np, sizeof *w->box);
	for (int r = 0; r < np; r++) {
		pthread_mutex_init(&w->box[r].lock, NULL);
		pthread_cond_init(&w->box[r].come, NULL);
		w->box[r].end = &w->box[r].first;
	}
}

/* Returns how many messages nobody has received. */
static int local_world_free(struct local_world *w)
{
	int left = 0;

	for (int r = 0; r < w->np; r++)
		for (struct local_message *m = w->box[r].first, *next; m; m = next, left++) {
			next = m->next;
			free(m);
		}
	free(w->box);
	return left;
}

static void *local_reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct local_port *p = (struct local_port *)m;
	size_t size = (sizeof *p->slot + bytes + 63) / 64 * 64;

	p->slot = aligned_alloc(64, size);
	if (!p->slot)
		abort();
	*p->slot = (struct local_message){ NULL, m->role, dst, tag, bytes };
	return p->slot->data;
}

static void local_note(struct local_port *p, enum pattern_kind kind, int peer, int tag,
		       size_t bytes)
{
	if (p->operations == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		p->done = realloc(p->done, p->room * sizeof *p->done);
		if (!p->done)
			abort();
	}
	p->done[p->operations++] =
		(struct local_operation){ p->iter, { kind, peer, tag, bytes, p->reduction } };
}

static int local_push(struct msg *m)
{
	struct local_port *p = (struct local_port *)m;
	struct local_message *message = p->slot;
	struct local_box *box;

	if (message->dst < 0 || message->dst >= p->world->np || message->dst == m->role) {
		snprintf(p->trouble, sizeof p->trouble, "role %d sends to %d", m->role,
			 message->dst);
		free(message);
		return RB_LOST;
	}
	local_note(p, PATTERN_SEND, message->dst, message->tag, message->bytes);
	box = &p->world->box[message->dst];
	pthread_mutex_lock(&box->lock);
	*box->end = message;
	box->end = &message->next;
	pthread_cond_signal(&box->come);
	pthread_mutex_unlock(&box->lock);
	return RB_OK;
}

static void local_post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	struct local_port *p = (struct local_port *)m;

	if (p->count == MSG_POST_MAX)
		abort();
	local_note(p, PATTERN_RECEIVE, src, tag, bytes);
	p->expected[p->count++] = (struct local_expected){ src, tag, buf, bytes };
}

/* Take the oldest one of src out; NULL: none yet. */
static struct local_message *local_take(struct local_box *box, int src, int tag)
{
	for (struct local_message **at = &box->first, *m; (m = *at); at = &m->next) {
		if (m->src != src || m->tag != tag)
			continue;
		*at = m->next;
		if (box->end == &m->next)
			box->end = at;
		return m;
	}
	return NULL;
}

static int local_receive(struct local_port *p, const struct local_expected *e,
			 const struct timespec *until)
{
	struct local_box *box = &p->world->box[p->msg.role];
	struct local_message *m;
	int late = 0, rc = RB_OK;

	pthread_mutex_lock(&box->lock);
	while (!(m = local_take(box, e->src, e->tag)) && !late)
		late = pthread_cond_timedwait(&box->come, &box->lock, until);
	pthread_mutex_unlock(&box->lock);
	if (!m || m->bytes > e->bytes || (m->bytes < e->bytes && !p->world->shorter)) {
		snprintf(p->trouble, sizeof p->trouble,
			 "role %d, iteration %lld: from role %d, tag %d: expected %zu bytes, "
			 "there %s %zu",
			 p->msg.role, (long long)p->iter, e->src, e->tag, e->bytes,
			 m ? "are" : "is no message;", m ? m->bytes : 0);
		rc = RB_LOST;
	} else {
		memcpy(e->buf, m->data, m->bytes);
	}
	free(m);
	return rc;
}

static int local_wait(struct msg *m)
{
	struct local_port *p = (struct local_port *)m;
	struct timespec until;
	int rc = RB_OK;

	local_note(p, PATTERN_WAIT, -1, -1, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LOCAL_PATIENCE_S;
	for (int i = 0; rc == RB_OK && i < p->count; i++)
		rc = local_receive(p, &p->expected[i], &until);
	p->count = 0;
	return rc;
}

/* The result is never known here. */
static bool local_recall(struct msg *m, double *v, size_t n)
{
	(void)v, (void)n;
	((struct local_port *)m)->reduction = true;
	return false;
}

static int local_result(struct msg *m, const double *v, size_t n)
{
	(void)v, (void)n;
	((struct local_port *)m)->reduction = false;
	return RB_OK;
}

static const struct port_ops local_ops = {
	.reserve = local_reserve,
	.push = local_push,
	.post = local_post,
	.wait = local_wait,
	.carries_data = true,
	.recall = local_recall,
	.record = local_result,
};

static void local_port_init(struct local_port *p, struct local_world *world, int role)
{
	memset(p, 0, sizeof *p);
	p->msg = (struct msg){ &local_ops, role, world->np };
	p->world = world;
}

static void local_port_free(struct local_port *p)
{
	free(p->done);
}

/* Call body with each of np (at most LOCAL_ROLES) elements of `size` bytes, each in a thread of its
 * own, and wait for all. */
static void local_run(int np, void *(*body)(void *element), void *elements, size_t size)
{
	pthread_t thread[LOCAL_ROLES];

	if (np > LOCAL_ROLES)
		abort();
	for (int r = 0; r < np; r++)
		if (pthread_create(&thread[r], NULL, body, (char *)elements + (size_t)r * size) !=
		    0)
			abort();
	for (int r = 0; r < np; r++)
		pthread_join(thread[r], NULL);
}

#endif

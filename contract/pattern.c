/* The pattern of a kernel: it makes its message calls to a port that sends nothing and reports each
 * call. */
#include "contract/pattern.h"

#include "contract/port.h"

#include <stdlib.h>

struct counting_port {
	struct msg msg;
	pattern_watch *watch;
	void *ctx;
	bool reduction;        /* under way */
	bool copies;           /* of kernel_pattern */
	pattern_part *part;    /* likewise */
	int posted;            /* receives that no wait has completed */
	struct port_slot slot; /* its payload has room for the longest message so far */
	size_t room;
	int status; /* RB_OK, RB_ENOMEM, or what watch returned */
	void *spill;
};

static struct counting_port *port_of(struct msg *m)
{
	return (struct counting_port *)m;
}

/* A kernel may pack data that nobody reads, so all messages get the same memory. */
static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct counting_port *p = port_of(m);

	if (bytes >= p->room) {
		free(p->slot.payload);
		/* not cleared: that would take longer than all else */
		p->slot.payload = malloc(bytes + 1);
		p->room = p->slot.payload ? bytes + 1 : 0;
	}
	p->slot.bytes = bytes;
	p->slot.dst = dst;
	p->slot.tag = tag;
	if (p->slot.payload)
		return p->slot.payload;
	p->status = RB_ENOMEM;
	return port_spill(&p->spill, bytes);
}

static int report(struct counting_port *p, enum pattern_kind kind, int peer, int tag, size_t bytes)
{
	const struct pattern_operation o = { kind, peer, tag, bytes, p->reduction };

	if (p->status == RB_OK)
		p->status = p->watch(p->ctx, &o);
	return p->status;
}

static int push(struct msg *m)
{
	struct counting_port *p = port_of(m);

	return report(p, PATTERN_SEND, p->slot.dst, p->slot.tag, p->slot.bytes);
}

static void post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	(void)buf;
	if (++port_of(m)->posted > MSG_POST_MAX)
		port_of(m)->status = RB_EINVAL;
	report(port_of(m), PATTERN_RECEIVE, src, tag, bytes);
}

static int wait_here(struct msg *m)
{
	port_of(m)->posted = 0;
	return report(port_of(m), PATTERN_WAIT, -1, -1, 0);
}

static void copied(struct msg *m, size_t bytes)
{
	if (port_of(m)->copies)
		report(port_of(m), PATTERN_SEND, m->role, 0, bytes);
}

static void part(struct msg *m, enum msg_part what, const char *name)
{
	struct counting_port *p = port_of(m);

	if (p->part && p->status == RB_OK)
		p->status = p->part(p->ctx, what, name);
}

static bool begin_reduction(struct msg *m, double *v, size_t n)
{
	struct counting_port *p = port_of(m);

	(void)v, (void)n;
	if (p->posted > 0 && p->status == RB_OK)
		p->status = RB_EINVAL; /* where the result is recorded, there is no wait for it */
	p->reduction = true;
	return false;
}

static int end_reduction(struct msg *m, const double *v, size_t n)
{
	(void)v, (void)n;
	port_of(m)->reduction = false;
	return RB_OK;
}

static const struct port_ops counting_ops = {
	.reserve = reserve,
	.push = push,
	.post = post,
	.wait = wait_here,
	.carries_data = false,
	.copied = copied,
	.part = part,
	.recall = begin_reduction,
	.record = end_reduction,
};

static int operations(const struct pattern *pattern, int role, int64_t iter, pattern_watch *watch,
		      void *ctx)
{
	const struct kernel_pattern *p = (const struct kernel_pattern *)pattern;
	struct counting_port port = { .msg = { &counting_ops, role, pattern->np },
				      .watch = watch,
				      .ctx = ctx,
				      .copies = p->copies,
				      .part = p->part };
	int rc = p->kernel->pattern(p->args, role, pattern->np, iter, &port.msg);

	free(port.slot.payload);
	free(port.spill);
	/* a kernel that makes no message call does not hear of it */
	return rc == RB_OK ? port.status : rc;
}

struct sends_only {
	pattern_visit *visit;
	void *ctx;
};

static int visit_send(void *ctx, const struct pattern_operation *o)
{
	const struct sends_only *s = ctx;

	return o->kind == PATTERN_SEND ? s->visit(s->ctx, o->peer, o->tag, o->bytes) : RB_OK;
}

int pattern_sends(const struct pattern *p, int role, int64_t iter, pattern_visit *visit, void *ctx)
{
	struct sends_only s = { visit, ctx };

	return p->operations(p, role, iter, visit_send, &s);
}

struct kernel_pattern kernel_pattern(const struct kernel_ops *kernel,
				     const struct kernel_args *args, int np)
{
	return (struct kernel_pattern){ { np, operations }, kernel, args, false, NULL };
}

const struct kernel_pattern *kernel_pattern_of(const struct pattern *p)
{
	return p->operations == operations ? (const struct kernel_pattern *)p : NULL;
}

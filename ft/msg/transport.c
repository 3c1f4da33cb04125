#include "ft/msg/transport.h"

#include "base/clock.h"
#include "ft/msg/nap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TESTS_BEFORE_NAP = 200, TEST_AT_ONCE = 32 };

static const double SKEW_S = 3e-3; /* between roles that wake up, or so */

static MPI_Request *requests_new(struct requests *r)
{
	if (r->count == 0)
		r->through = 0;
	if (r->count == r->capacity) {
		int more = r->capacity ? r->capacity * 2 : 64;
		MPI_Request *grown = realloc(r->list, (size_t)more * sizeof(MPI_Request));

		if (!grown)
			return NULL;
		r->list = grown;
		r->capacity = more;
	}
	r->list[r->count] = MPI_REQUEST_NULL;
	return &r->list[r->count++];
}

/* Any MPI error means that the communicator is lost (ULFM reports several classes). */
int msg_check(struct msg *m, int rc)
{
	int length;

	if (rc == MPI_SUCCESS)
		return RB_OK;
	MPI_Error_string(rc, m->reason, &length);
	m->failed = true;
	return RB_LOST;
}

int msg_init(struct msg *m, int role, int np, const struct policy *policy)
{
	memset(m, 0, sizeof *m);
	m->comm = MPI_COMM_NULL;
	m->role = role;
	m->np = np;
	m->policy = *policy;
	m->naps = getenv("OMPI_MCA_mpi_yield_when_idle") != NULL;
	m->bare = policy->ops == &policy_off;
	m->policy.role = role;
	m->policy.np = np;
	m->front = calloc((size_t)np, sizeof *m->front);
	if (!m->front)
		return RB_ENOMEM;
	return log_init(&m->log, np);
}

void msg_free(struct msg *m)
{
	log_free(&m->log);
	arena_free(&m->scratch);
	free(m->front);
	free(m->sends.list);
	free(m->receives.list);
	free(m->replays.list);
	memset(m, 0, sizeof *m);
}

void msg_connect(struct msg *m, MPI_Comm workers, const int64_t *front)
{
	m->comm = workers;
	m->failed = false;
	memcpy(m->front, front, (size_t)m->np * sizeof *front);
}

void requests_drain(struct requests *r)
{
	for (int i = 0; i < r->count; i++)
		if (r->list[i] != MPI_REQUEST_NULL)
			MPI_Wait(&r->list[i], MPI_STATUS_IGNORE);
	r->count = 0;
}

void msg_drain(struct msg *m)
{
	requests_drain(&m->receives);
	requests_drain(&m->sends);
	requests_drain(&m->replays);
}

int msg_role(const struct msg *m)
{
	return m->role;
}

int msg_np(const struct msg *m)
{
	return m->np;
}

void msg_begin(struct msg *m, int64_t iter)
{
	m->iter = iter;
	m->pushes = m->ops = 0;
	arena_reset(&m->scratch);
	if (!m->bare)
		log_begin(&m->log, iter);
}

void msg_commit(struct msg *m)
{
	log_commit(&m->log);
	/* All sends have left; only replays could still point into the log. */
	if (m->log.dead > 0 && m->replays.count == 0)
		log_compact(&m->log);
}

void msg_abort(struct msg *m)
{
	log_abort(&m->log);
}

static double now(struct msg *m)
{
	m->spent.readings++;
	return clock_monotonic();
}

/* Memory for a message: in the log if the policy says so, else until the iteration ends. */
static void *log_slot(struct msg *m, int dst, int tag, size_t bytes)
{
	double begin = m->timed ? now(m) : 0;
	bool logged = m->policy.ops->admits(&m->policy, &m->log, dst, bytes);
	void *payload = NULL;

	if (logged)
		payload = log_append(&m->log, dst, tag, bytes);
	else if (log_skip(&m->log, dst) != RB_OK)
		return NULL;
	if (!logged || m->rehearsal)
		payload = arena_take(&m->scratch, bytes);
	if (m->timed) {
		m->slot.taken = now(m);
		m->spent.log += m->slot.taken - begin;
	}
	return payload;
}

void *msg_reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	void *payload = m->bare ? arena_take(&m->scratch, bytes) : log_slot(m, dst, tag, bytes);

	if (!payload) { /* a kernel need not check: the message goes nowhere, the run ends */
		msg_check(m, MPI_ERR_NO_MEM);
		payload = calloc(1, bytes);
		if (!payload)
			abort();
	}
	m->slot.payload = payload;
	m->slot.bytes = bytes;
	m->slot.dst = dst;
	m->slot.tag = tag;
	return payload;
}

int msg_isend(struct msg *m, struct requests *to, const void *data, int count, MPI_Datatype type,
	      int dst, int tag)
{
	MPI_Request *request = requests_new(to);

	if (!request)
		return msg_check(m, MPI_ERR_NO_MEM);
	return msg_check(m, MPI_Isend(data, count, type, dst, tag, m->comm, request));
}

static int send_bytes(struct msg *m, struct requests *to, const void *data, size_t bytes, int dst,
		      int tag)
{
	if (bytes > INT_MAX)
		return msg_check(m, MPI_ERR_COUNT);
	return msg_isend(m, to, data, (int)bytes, MPI_BYTE, dst, tag);
}

static void operation(struct msg *m, bool sending)
{
	m->ops++;
	if (m->probe)
		m->probe(m->probe_ctx, sending);
}

static int send_slot(struct msg *m)
{
	return send_bytes(m, &m->sends, m->slot.payload, m->slot.bytes, m->slot.dst, m->slot.tag);
}

int msg_push(struct msg *m)
{
	double begin;
	int rc;

	if (m->failed)
		return RB_LOST;
	if (m->bare)
		return send_slot(m);
	m->pushes++;
	operation(m, true);
	if (m->rehearsal || m->iter < m->front[m->slot.dst])
		return RB_OK; /* a send into the past: dst has had it already */
	if (!m->timed)
		return send_slot(m);
	begin = now(m);
	m->spent.pack += begin - m->slot.taken;
	rc = send_slot(m);
	m->spent.communicate += now(m) - begin;
	return rc;
}

void msg_post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	MPI_Request *request = NULL;

	if (m->failed || m->rehearsal)
		return;
	if (bytes <= INT_MAX)
		request = requests_new(&m->receives);
	if (!request)
		msg_check(m, MPI_ERR_NO_MEM);
	else
		msg_check(m, MPI_Irecv(buf, (int)bytes, MPI_BYTE, src, tag, m->comm, request));
}

/* With more ranks than cores MPI waits by sched_yield(). Since Linux 6.18 each of these moves the process
 * a whole slice back in the queue, so that one that has waited long is not run for minutes once others
 * compute (docs/ulfm-notes.md). A nap now and then clears that debt. */
void msg_nap(const struct msg *m, int tries)
{
	const struct timespec nap = { 0, 1 };

	if (m->naps && tries % TESTS_BEFORE_NAP == 0)
		nanosleep(&nap, NULL);
}

static int test_all(const struct msg *m, struct requests *r)
{
	struct nap pause;

	if (m->sleeps)
		nap_begin(&pause, SKEW_S);
	for (int tries = 1;; tries++) {
		int flag, rc = MPI_Testall(r->count, r->list, &flag, MPI_STATUSES_IGNORE);

		if (rc != MPI_SUCCESS || flag)
			return rc;
		if (m->sleeps)
			nap(&pause);
		else
			msg_nap(m, tries);
	}
}

void msg_watch(struct msg *m, bool on)
{
	m->watched = on;
	m->sleeps = false;
	m->waited_cpu = 0;
}

/* On error the list is kept for msg_drain(). */
static int wait_all(struct msg *m, struct requests *r)
{
	double begin;

	if (m->failed)
		return RB_LOST;
	if (r->count == 0)
		return RB_OK;
	begin = m->watched ? clock_thread() : 0;
	RB_TRY(msg_check(m, m->naps || m->sleeps ? test_all(m, r) :
			 MPI_Waitall(r->count, r->list, MPI_STATUSES_IGNORE)));
	m->waited_cpu += m->watched ? clock_thread() - begin : 0;
	r->count = 0;
	return RB_OK;
}

static int timed_wait(struct msg *m, struct requests *r)
{
	double begin = now(m);
	int rc = wait_all(m, r);

	m->spent.communicate += now(m) - begin;
	return rc;
}

int msg_wait(struct msg *m)
{
	if (!m->bare)
		operation(m, false);
	return m->timed ? timed_wait(m, &m->receives) : wait_all(m, &m->receives);
}

int msg_flush(struct msg *m)
{
	return m->timed ? timed_wait(m, &m->sends) : wait_all(m, &m->sends);
}

static bool lacks(const struct msg *m, const struct log_entry *e, int64_t my_front)
{
	int64_t iter = log_iter(&m->log, e);

	return iter >= m->front[e->dst] && iter < my_front;
}

int msg_replay(struct msg *m, int64_t my_front, const bool *rolled, void (*half)(void *ctx),
	       void *ctx)
{
	size_t needed = 0, done = 0;

	m->replayed = m->replayed_bytes = 0;
	for (size_t i = 0; i < m->log.count; i++)
		needed += lacks(m, &m->log.entry[i], my_front);
	for (size_t i = 0; i < m->log.count; i++) {
		const struct log_entry *e = &m->log.entry[i];

		if (!lacks(m, e, my_front))
			continue;
		if (++done == needed / 2 + 1 && needed > 1)
			half(ctx);
		RB_TRY(send_bytes(m, &m->replays, e->payload, e->bytes, e->dst, e->tag));
		if (rolled[e->dst]) {
			m->replayed++;
			m->replayed_bytes += (int64_t)e->bytes;
		}
	}
	return RB_OK;
}

/* They end about in the order in which they began, so the oldest tell: a look at all of a long replay would
 * cost a hundred times what a look at a few does, again and again. */
int msg_test(struct msg *m, struct requests *r, bool *done)
{
	int flag = 1;

	while (flag && r->through < r->count) {
		int left = r->count - r->through, some = left < TEST_AT_ONCE ? left : TEST_AT_ONCE;

		RB_TRY(msg_check(m, MPI_Testall(some, r->list + r->through, &flag,
						MPI_STATUSES_IGNORE)));
		if (flag)
			r->through += some;
	}
	if (flag)
		r->count = 0;
	*done = flag;
	return RB_OK;
}

int msg_replay_test(struct msg *m, bool *done)
{
	return msg_test(m, &m->replays, done);
}

int msg_replay_wait(struct msg *m)
{
	return wait_all(m, &m->replays);
}

int msg_announce(struct msg *m, int dst)
{
	return send_bytes(m, &m->replays, NULL, 0, dst, TAG_FRONT);
}

int msg_expect(struct msg *m, int src)
{
	msg_post(m, src, TAG_FRONT, NULL, 0);
	return m->failed ? RB_LOST : RB_OK;
}

int msg_all_here(struct msg *m, bool *all)
{
	return msg_test(m, &m->receives, all);
}

int msg_barrier(struct msg *m)
{
	static const char nothing;
	char none;

	for (int step = 1, round = 0; step < m->np; step *= 2, round++) {
		int to = (m->role + step) % m->np, from = (m->role - step + m->np) % m->np;

		msg_post(m, from, TAG_BARRIER + round, &none, 0);
		RB_TRY(send_bytes(m, &m->sends, &nothing, 0, to, TAG_BARRIER + round));
		RB_TRY(msg_wait(m));
		RB_TRY(msg_flush(m));
	}
	return RB_OK;
}

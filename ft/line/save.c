#include "ft/line/save.h"

#include "base/clock.h"
#include "ft/role.h"

#include <inttypes.h>
#include <string.h>

void save_init(struct role *r)
{
	memset(&r->save, 0, sizeof r->save);
	r->save.iter = -1;
	transfer_init(&r->save.transfer, &r->msg);
}

void save_join(struct role *r)
{
	if (r->save.file.running)
		pthread_join(r->save.file.thread, NULL);
	r->save.file.running = false;
}

void save_free(struct role *r)
{
	save_join(r);
	transfer_free(&r->save.transfer);
}

/* In the thread, which must not look at what the role is doing. */
static void half_written(void *ctx)
{
	const struct role *r = ctx;
	const struct ft_hooks *hooks = &r->cfg->hooks;

	if (hooks->reached)
		hooks->reached(hooks->ctx, r->id, r->save.file.iter, FT_CHECKPOINT, 0);
}

/* In the thread. It uses what nobody changes before save_join(). The two generations before this one stay,
 * since a role may die after some, but not all, have seen the last one count. The third is removed here
 * and not in the loop: freeing a file's pages takes time. */
static void *write_file(void *ctx)
{
	struct role *r = ctx;
	struct save *s = &r->save;

	checkpoint_remove(r->cfg->dir, r->id, s->file.iter - 3 * r->cfg->interval);
	s->file.rc = checkpoint_write(r->cfg->dir, r->id, s->file.iter,
				      &images_own(&r->images, s->file.iter)->image, half_written, r,
				      &s->file.err);
	atomic_store(&s->file.ended, true);
	return NULL;
}

/* The role's core is for the role. */
static int start_thread(struct role *r)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	if (CPU_COUNT(&r->cfg->helpers) > 0)
		pthread_attr_setaffinity_np(&attr, sizeof r->cfg->helpers, &r->cfg->helpers);
	rc = pthread_create(&r->save.file.thread, &attr, write_file, r);
	pthread_attr_destroy(&attr);
	return rc;
}

/* A thread, so that the role computes while the file is written and synced; no thread to be had: at
 * once. */
static void begin_file(struct role *r)
{
	struct save *s = &r->save;

	s->file.state = FILE_WRITING;
	s->file.running = r->cfg->lag != 0 && start_thread(r) == 0;
	if (!s->file.running)
		write_file(r);
}

static int begin(struct role *r, struct rb_error *err)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	struct image_id id = role_identify(r->cfg, r->id, r->front);
	size_t count = r->cfg->kernel->regions(r->kernel, region);
	struct stored *own = images_own(&r->images, r->front);
	struct save *s = &r->save;

	save_join(r);
	own->iter = -1;
	if (image_take(&own->image, &id, region, count) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: no memory for a copy of its state", r->id);
	own->iter = s->iter = s->file.iter = r->front;
	s->began = clock_monotonic();
	s->posted = s->delivered = s->voting = false;
	s->file.state = r->cfg->levels.file ? FILE_DUE : FILE_WRITTEN;
	atomic_store(&s->file.ended, false);
	log_mark(&r->msg.log, r->front);
	r->ledger->checkpoint_bytes += (int64_t)own->image.bytes;
	return RB_OK;
}

/* Everything is under way after this, once in each epoch. */
static int post(struct role *r)
{
	struct save *s = &r->save;

	s->posted = true;
	for (int b = 0; b < r->cfg->levels.buddies; b++) {
		RB_TRY(images_expect_copy(&r->images, &s->transfer, s->iter, b));
		RB_TRY(images_send_copy(&r->images, &s->transfer, s->iter, b));
	}
	if (r->cfg->levels.k > 0)
		RB_TRY(images_exchange_parity(&r->images, &s->transfer, s->iter, NULL));
	if (levels_in_memory(&r->cfg->levels))
		role_reached(r, s->iter, FT_CHECKPOINT);
	if (s->file.state == FILE_DUE)
		begin_file(r);
	return RB_OK;
}

static int look_at_file(struct role *r, bool wait, struct rb_error *err)
{
	struct save *s = &r->save;

	if (s->file.state == FILE_WRITTEN || (!wait && !atomic_load(&s->file.ended)))
		return RB_OK;
	save_join(r);
	s->file.state = FILE_WRITTEN;
	if (s->file.rc != RB_OK)
		*err = s->file.err;
	return s->file.rc;
}

/* One look at all that is under way. *agreed: all roles have theirs, and nothing refers to the log. */
static int look(struct role *r, bool wait, bool *agreed, struct rb_error *err)
{
	struct save *s = &r->save;
	bool replayed;
	int flag = 0;

	*agreed = false;
	RB_TRY(look_at_file(r, wait, err));
	if (!s->delivered)
		RB_TRY(transfer_poll(&s->transfer, &s->delivered));
	if (!s->delivered || s->file.state != FILE_WRITTEN)
		return RB_OK;
	if (!s->voting)
		RB_TRY(msg_check(&r->msg, MPI_Ibarrier(r->msg.comm, &s->vote)));
	s->voting = true;
	if (s->vote != MPI_REQUEST_NULL)
		RB_TRY(msg_check(&r->msg, MPI_Test(&s->vote, &flag, MPI_STATUS_IGNORE)));
	RB_TRY(msg_replay_test(&r->msg, &replayed));
	*agreed = s->vote == MPI_REQUEST_NULL && replayed;
	return RB_OK;
}

/* It counts. Nothing is on its way from the log. */
static int conclude(struct role *r, struct rb_error *err)
{
	struct save *s = &r->save;

	if (log_trim(&r->msg.log, s->iter) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for its log", r->id);
	r->line = r->ledger->line = s->iter;
	r->ledger->checkpoints++;
	r->ledger->drain_s += clock_monotonic() - s->began;
	s->iter = -1;
	return RB_OK;
}

/* Go on with the checkpoint under way; `wait`: until it counts. */
static int go_on(struct role *r, bool wait, struct rb_error *err)
{
	struct save *s = &r->save;
	bool early = r->cfg->lag > 0 && r->front < s->iter + r->cfg->lag, agreed = false;

	if (!s->posted)
		RB_TRY(post(r));
	for (int tries = 1;; tries++) {
		RB_TRY(look(r, wait, &agreed, err));
		if (agreed && (wait || !early))
			return conclude(r, err);
		if (!wait)
			return RB_OK;
		msg_nap(&r->msg, tries);
	}
}

static bool due(const struct role *r)
{
	return r->front > r->line && r->front != r->save.iter &&
	       r->front % r->cfg->interval == 0;
}

static int step(struct role *r, struct rb_error *err)
{
	struct save *s = &r->save;
	bool begins = due(r), wait;

	if (begins && s->iter >= 0) /* the one before is still under way */
		RB_TRY(go_on(r, true, err));
	if (begins)
		RB_TRY(begin(r, err));
	wait = r->cfg->lag >= 0 && r->front >= s->iter + r->cfg->lag;
	if (begins || wait)
		role_enter(r, LEDGER_CHECKPOINT);
	return go_on(r, wait, err);
}

int save_step(struct role *r, struct rb_error *err)
{
	double begin;
	int rc;

	if (r->save.iter < 0 && !due(r))
		return RB_OK;
	begin = clock_monotonic();
	rc = step(r, err);
	r->ledger->checkpoint_s += clock_monotonic() - begin;
	return rc;
}

int save_poll(struct role *r, struct rb_error *err)
{
	return r->save.iter < 0 ? RB_OK : go_on(r, false, err);
}

bool save_busy(const struct role *r)
{
	return transfer_busy(&r->save.transfer);
}

int save_finish(struct role *r, struct rb_error *err)
{
	double begin = clock_monotonic();

	if (r->save.iter < 0)
		return RB_OK;
	RB_TRY(go_on(r, true, err));
	r->ledger->checkpoint_s += clock_monotonic() - begin;
	return RB_OK;
}

void save_abort(struct role *r)
{
	transfer_abort(&r->save.transfer);
	r->save.posted = r->save.delivered = r->save.voting = false;
}

int save_enter_epoch(struct role *r, int64_t line, bool rolled_back, struct rb_error *err)
{
	struct save *s = &r->save;

	if (rolled_back) {
		s->iter = -1;
		log_restart(&r->msg.log, line);
		return RB_OK;
	}
	if (line <= r->line)
		return RB_OK;
	if (s->iter != line)
		return rb_fail(err, RB_EMPI, "role %d: checkpoint %" PRId64 " counts, but this role has "
			       "not taken it; please report this", r->id, line);
	return conclude(r, err); /* others saw it close; so it has */
}

#include "ft/line/save.h"

#include "base/clock.h"
#include "ft/line/checkpoint.h"

#include <inttypes.h>
#include <string.h>

void save_init(struct save *s, struct role *role, struct image_store *images)
{
	memset(s, 0, sizeof *s);
	s->role = role;
	s->images = images;
	s->iter = -1;
	transfer_init(&s->transfer, &role->link);
	dissemination_init(&s->vote, &role->link, TAG_VOTE);
}

void save_join(struct save *s)
{
	if (s->file.running)
		pthread_join(s->file.thread, NULL);
	s->file.running = false;
}

void save_free(struct save *s)
{
	save_join(s);
	transfer_free(&s->transfer);
	dissemination_free(&s->vote);
}

/* Runs in the thread, which must not read what the role changes. */
static void half_written(void *ctx)
{
	const struct save *s = ctx;
	const struct ft_hooks *hooks = &s->role->cfg->hooks;

	if (hooks->reached)
		hooks->reached(hooks->ctx, s->role->id, s->file.iter, FT_CHECKPOINT, 0);
}

/* Runs in the thread and uses only what stays the same until save_join(). The two generations
 * before this one stay, since a role may die when only some roles know that the last one counts.
 * The third is removed here and not in the loop: freeing a file's pages takes time. */
static void *write_file(void *ctx)
{
	struct save *s = ctx;
	const struct role *r = s->role;

	checkpoint_remove(r->cfg->dir, r->id, s->file.iter - 3 * r->cfg->schedule.interval);
	s->file.rc = checkpoint_write(r->cfg->dir, r->id, s->file.iter,
				      &images_own(s->images, s->file.iter)->image, half_written, s,
				      &s->file.err);
	atomic_store(&s->file.ended, true);
	return NULL;
}

/* The role's core is left to the role. */
static int start_thread(struct save *s)
{
	struct role *r = s->role;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	if (CPU_COUNT(&r->cfg->helpers) > 0)
		pthread_attr_setaffinity_np(&attr, sizeof r->cfg->helpers, &r->cfg->helpers);
	rc = pthread_create(&s->file.thread, &attr, write_file, s);
	pthread_attr_destroy(&attr);
	return rc;
}

/* A thread writes the file, so that the role computes meanwhile; without a thread it is written
 * here. */
static void begin_file(struct save *s)
{
	struct role *r = s->role;

	s->file.state = FILE_WRITING;
	s->file.running = r->cfg->lag != 0 && start_thread(s) == 0;
	if (!s->file.running)
		write_file(s);
}

/* The kernel's regions and, if the log keeps it, the status of its channels. */
static int take_image(const struct role *r, struct image *into)
{
	struct kernel_region region[IMAGE_REGIONS];
	struct image_id id = image_identify(r->cfg, r->id, r->front);
	size_t count = r->cfg->kernel->regions(r->kernel, region),
	       statuses = log_statuses(&r->ports.logging.log);
	struct log_status *status = malloc((statuses + 1) * sizeof *status);
	int rc;

	if (!status)
		return RB_ENOMEM;
	log_get_status(&r->ports.logging.log, status);
	if (r->ports.logging.log.keeps)
		region[count++] =
			(struct kernel_region){ IMAGE_STATUS, status, statuses * sizeof *status };
	rc = image_take(into, &id, region, count);
	free(status);
	return rc;
}

static int begin(struct save *s, struct rb_error *err)
{
	struct role *r = s->role;
	struct stored *own = images_own(s->images, r->front);

	save_join(s);
	own->iter = -1;
	if (take_image(r, &own->image) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: no memory for a copy of its state", r->id);
	own->iter = s->iter = s->file.iter = r->front;
	s->began = clock_monotonic();
	s->posted = s->delivered = s->voting = false;
	s->file.state = r->cfg->levels.file ? FILE_DUE : FILE_WRITTEN;
	atomic_store(&s->file.ended, false);
	ports_mark(&r->ports, r->front);
	r->ledger->checkpoint_bytes += (int64_t)own->image.bytes;
	return RB_OK;
}

/* Start the transfers of this epoch, and the file if it is due. */
static int post(struct save *s)
{
	struct role *r = s->role;

	s->posted = true;
	for (int b = 0; b < r->cfg->levels.buddies; b++) {
		RB_TRY(images_expect_copy(s->images, &s->transfer, s->iter, b));
		RB_TRY(images_send_copy(s->images, &s->transfer, s->iter, b));
	}
	if (r->cfg->levels.k > 0)
		RB_TRY(images_exchange_parity(s->images, &s->transfer, s->iter, NULL));
	if (levels_in_memory(&r->cfg->levels))
		role_reached(r, s->iter, FT_CHECKPOINT);
	if (s->file.state == FILE_DUE)
		begin_file(s);
	return RB_OK;
}

static int look_at_file(struct save *s, bool wait, struct rb_error *err)
{
	if (s->file.state == FILE_WRITTEN || (!wait && !atomic_load(&s->file.ended)))
		return RB_OK;
	save_join(s);
	s->file.state = FILE_WRITTEN;
	if (s->file.rc != RB_OK)
		*err = s->file.err;
	return s->file.rc;
}

/* Also where the role waits for messages, since the rounds of the barrier would else take as many
 * iterations. */
static int vote(void *ctx)
{
	struct save *s = ctx;
	bool done;

	return dissemination_test(&s->vote, &done);
}

static int begin_vote(struct save *s)
{
	if (s->voting)
		return RB_OK;
	RB_TRY(dissemination_begin(&s->vote, NULL, 0));
	s->voting = true;
	s->role->link.background = vote;
	s->role->link.ctx = s;
	return RB_OK;
}

/* Test all that is under way. *agreed: all roles have their images, and no replay reads the log. */
static int look(struct save *s, bool wait, bool *agreed, struct rb_error *err)
{
	struct role *r = s->role;
	bool voted, replayed;

	*agreed = false;
	RB_TRY(look_at_file(s, wait, err));
	if (!s->delivered)
		RB_TRY(transfer_poll(&s->transfer, &s->delivered));
	if (!s->delivered || s->file.state != FILE_WRITTEN)
		return RB_OK;
	RB_TRY(begin_vote(s));
	RB_TRY(dissemination_test(&s->vote, &voted));
	if (voted)
		r->link.background = NULL;
	RB_TRY(link_test(&r->link, &r->replay.requests, &replayed));
	*agreed = voted && replayed;
	return RB_OK;
}

/* The checkpoint counts. No request reads the log. */
static int conclude(struct save *s, struct rb_error *err)
{
	struct role *r = s->role;

	if (ports_trim(&r->ports, s->iter) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for its log", r->id);
	r->line = r->ledger->line = s->iter;
	r->ledger->checkpoints++;
	r->ledger->drain_s += clock_monotonic() - s->began;
	s->iter = -1;
	return RB_OK;
}

/* Go on with the checkpoint under way; `wait`: until it counts. */
static int go_on(struct save *s, bool wait, struct rb_error *err)
{
	struct role *r = s->role;
	bool early = r->cfg->lag > 0 && r->front < s->iter + r->cfg->lag, agreed = false;

	if (!s->posted)
		RB_TRY(post(s));
	do {
		RB_TRY(look(s, wait, &agreed, err));
		if (agreed && (wait || !early))
			return conclude(s, err);
	} while (wait);
	return RB_OK;
}

static bool due(const struct save *s)
{
	const struct role *r = s->role;

	return r->front > r->line && r->front != s->iter &&
	       schedule_due(r->cfg->schedule, r->front);
}

static int step(struct save *s, struct rb_error *err)
{
	struct role *r = s->role;
	bool begins = due(s), wait;

	if (begins && s->iter >= 0) /* the one before is still under way */
		RB_TRY(go_on(s, true, err));
	if (begins)
		RB_TRY(begin(s, err));
	wait = r->cfg->lag >= 0 && r->front >= s->iter + r->cfg->lag;
	if (begins || wait)
		role_enter(r, LEDGER_CHECKPOINT);
	return go_on(s, wait, err);
}

int save_step(struct save *s, struct rb_error *err)
{
	struct role *r = s->role;
	double begin;
	int rc;

	if (s->iter < 0 && !due(s))
		return RB_OK;
	begin = clock_monotonic();
	rc = step(s, err);
	r->ledger->checkpoint_s += clock_monotonic() - begin;
	return rc;
}

int save_poll(struct save *s, struct rb_error *err)
{
	return s->iter < 0 ? RB_OK : go_on(s, false, err);
}

bool save_busy(const struct save *s)
{
	return transfer_busy(&s->transfer);
}

int save_finish(struct save *s, struct rb_error *err)
{
	struct role *r = s->role;
	double begin = clock_monotonic();

	if (s->iter < 0)
		return RB_OK;
	RB_TRY(go_on(s, true, err));
	r->ledger->checkpoint_s += clock_monotonic() - begin;
	return RB_OK;
}

void save_abort(struct save *s)
{
	transfer_abort(&s->transfer);
	dissemination_abort(&s->vote);
	s->role->link.background = NULL;
	s->posted = s->delivered = s->voting = false;
}

int save_enter_epoch(struct save *s, int64_t line, bool rolled_back, struct rb_error *err)
{
	struct role *r = s->role;

	if (rolled_back) {
		s->iter = -1;
		if (ports_roll_back(&r->ports, line) != RB_OK)
			return rb_fail(err, RB_ENOMEM, "role %d: out of memory for its log", r->id);
		return RB_OK;
	}
	if (line <= r->line)
		return RB_OK;
	if (s->iter != line)
		return rb_fail(err, RB_EMPI,
			       "role %d: checkpoint %" PRId64
			       " counts, but this role has not taken it; please report this",
			       r->id, line);
	return conclude(s, err); /* others know that it counts, so it does */
}

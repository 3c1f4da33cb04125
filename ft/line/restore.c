#include "ft/line/restore.h"

#include "base/clock.h"
#include "ft/line/checkpoint.h"
#include "ft/line/constants.h"
#include "ft/line/fetch.h"

#include <inttypes.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The run goes on: the others are told, and all go back to an older generation. */
static int refuse(struct restoration *x)
{
	struct role *r = x->r;
	struct ledger *l = r->ledger;
	int64_t in_memory = 0, in_files = 0;

	if (levels_in_memory(&r->cfg->levels))
		in_memory = inventory_older(&x->inventory, &x->images->group, r->id);
	if (r->cfg->levels.file)
		in_files = checkpoint_newest(r->cfg->dir, r->id, r->line - 1);
	r->refused = r->line;
	r->older = in_memory > in_files ? in_memory : in_files;
	l->refusals += x->refusals == 0;
	snprintf(l->refusal, sizeof l->refusal,
		 "role %d has nothing left of iteration %" PRId64 ": %.400s", r->id, r->line,
		 x->refusal_log);
	return RB_LOST;
}

/* Explain from the inventory why no level in memory was used. */
static void tell_why(struct restoration *x)
{
	struct role *r = x->r;
	const struct levels *levels = &r->cfg->levels;
	char text[128];

	if (levels->buddies > 0 && x->copies_tried == 0)
		fetch_note(x, "no partner that lives has a copy");
	if (levels->k > 0 && !x->rs_tried) {
		snprintf(text, sizeof text,
			 "too many of the %d roles of its group are lost for "
			 "rs:%d+%d",
			 x->images->group.size, levels->k, levels->m);
		fetch_note(x, text);
	}
	if (!levels->file)
		fetch_note(x, "no files are kept (--ckpt file)");
}

/* Read the file, the last source. */
static int read_file(struct restoration *x, struct image *into, struct rb_error *err)
{
	struct role *r = x->r;
	struct image_id id = image_identify(r->cfg, r->id, r->line);
	struct rb_error why;
	int rc;

	tell_why(x);
	if (!r->cfg->levels.file)
		return refuse(x);
	rc = checkpoint_read(r->cfg->dir, &id, into, &why);
	if (rc == RB_ENOMEM)
		return rb_fail(err, rc, "role %d: %.400s", r->id, why.text);
	if (rc != RB_OK) {
		fetch_refuse(x, &why);
		return refuse(x);
	}
	return RB_OK;
}

/* A state may have had another size when the image was taken. If it cannot get it, image_load()
 * refuses the image. */
static int fit(const struct kernel_ops *kernel, const struct image *from, struct kernel_state *into)
{
	size_t bytes[KERNEL_MAX_REGIONS], count = image_sizes(from, bytes);

	return kernel->fit && kernel->fit(into, bytes, count) == RB_ENOMEM ? RB_ENOMEM : RB_OK;
}

/* Load an image into a state. */
static int load_image(struct restoration *x, const struct image *from, struct kernel_state *into,
		      struct rb_error *err)
{
	const struct kernel_ops *kernel = x->r->cfg->kernel;
	struct kernel_region region[KERNEL_MAX_REGIONS];
	struct rb_error why;

	if (fit(kernel, from, into) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "role %d: no memory for the state of its checkpoint",
			       x->r->id);
	if (image_load(from, region, kernel->regions(into, region), "checkpoint", &why) == RB_OK)
		return RB_OK;
	fetch_refuse(x, &why);
	return refuse(x);
}

/* What was off at the checkpoint is off again. An image of another policy has no status. */
static int load_status(struct restoration *x, const struct image *from, struct rb_error *err)
{
	struct log *log = &x->r->ports.logging.log;
	struct rb_error why;
	struct log_status *list = NULL;
	size_t bytes = 0;
	const void *status = image_status(from, &bytes);
	int rc = status && bytes % sizeof *list == 0 ? RB_OK : RB_ECORRUPT;

	if (!log->keeps)
		return RB_OK;
	if (rc == RB_OK && !(list = malloc(bytes + 1)))
		rc = RB_ENOMEM;
	if (rc == RB_OK) {
		memcpy(list, status, bytes);
		rc = log_set_status(log, list, bytes / sizeof *list);
	}
	free(list);
	if (rc == RB_OK)
		return rc;
	if (rc == RB_ENOMEM)
		return rb_fail(err, rc, "role %d: no memory for the status of its channels",
			       x->r->id);
	rb_fail(&why, rc, "checkpoint: %s",
		status ? "damaged status of channels"
		       : "no status of channels, so it is of another policy");
	fetch_refuse(x, &why);
	return refuse(x);
}

static bool is_in_memory(const struct restoration *x)
{
	return levels_in_memory(&x->r->cfg->levels) &&
	       images_own(x->images, x->r->line)->iter == x->r->line;
}

/* Load the role's own state, by way of the own slot. */
static int load(struct restoration *x, struct rb_error *err)
{
	struct role *r = x->r;
	struct stored *own = images_own(x->images, r->line);
	int rc;

	if (!is_in_memory(x)) {
		own->iter = -1;
		RB_TRY(read_file(x, &own->image, err));
		own->iter = r->line;
		r->source = FROM_FILE;
		r->source_role = -1;
	}
	rc = load_image(x, &own->image, r->kernel, err);
	if (rc == RB_OK)
		rc = load_status(x, &own->image, err);
	if (rc != RB_OK)
		own->iter = -1;
	return rc;
}

/* Load the duplicate. The own slot can hold a newer image that is on its way to a file, so it is
 * not used for a file. */
static int load_duplicate(struct restoration *x, struct rb_error *err)
{
	struct role *r = x->r;
	struct image image = { 0 };
	int rc;

	r->cfg->kernel->reset(x->duplicate);
	if (r->line == 0)
		return RB_OK;
	if (is_in_memory(x)) {
		rc = load_image(x, &images_own(x->images, r->line)->image, x->duplicate, err);
	} else {
		rc = read_file(x, &image, err);
		if (rc == RB_OK)
			rc = load_image(x, &image, x->duplicate, err);
	}
	if (rc == RB_ENOMEM) {
		r->unable = true;
		rc = RB_LOST;
	}
	image_free(&image);
	return rc;
}

/* A process that has just taken its role on has no state yet. */
static int make_state(struct role *r, struct rb_error *err)
{
	const double begin = clock_now();
	enum ledger_constants from;

	if (r->kernel)
		return RB_OK;
	RB_TRY(constants_create(r->constants, r->ledger, &r->kernel, &from, err));
	if (r->ledger->setup_s < 0)
		r->ledger->setup_s = clock_now() - begin;
	if (r->recovery.event)
		r->recovery.event->constants = from;
	return RB_OK;
}

static int roll_back(struct restoration *x, double begin, struct rb_error *err)
{
	struct role *r = x->r;

	RB_TRY(make_state(r, err));
	if (r->epoch > 0)
		role_reached(r, r->recovery.front_before, FT_RESTORE);
	r->cfg->kernel->reset(r->kernel);
	r->source = r->front > 0 ? r->source : FROM_INITIAL;
	if (r->front > 0)
		RB_TRY(load(x, err));
	r->restored = true;
	r->recovery.resumed = clock_now();
	if (r->recovery.event) {
		r->recovery.event->restore_s = r->recovery.resumed - begin;
		r->recovery.event->t_resumed = r->recovery.resumed;
		r->recovery.event->source = r->source;
		r->recovery.event->source_role = r->source_role;
	}
	return RB_OK;
}

static int load_states(struct restoration *x, double begin, struct rb_error *err)
{
	if (!x->r->restored)
		RB_TRY(roll_back(x, begin, err));
	return x->duplicate ? load_duplicate(x, err) : RB_OK;
}

static bool is_there(const struct inventory *m, int holder, int role, int b)
{
	return inventory_has_copy(m, holder, role, b) && !inventory_copy_refused(m, holder, role);
}

/* Which members' parity is to be made again. */
static bool list_lacking(const struct inventory *m, const struct rs_group *g,
			 bool lacks[RS_GROUP_MAX])
{
	bool refused = false, any = false;

	for (int i = 0; i < g->size; i++)
		refused = refused || inventory_parity_refused(m, g->role[i]);
	for (int i = 0; i < g->size; i++) {
		lacks[i] = refused || !inventory_has_parity(m, g->role[i]);
		any = any || lacks[i];
	}
	return any;
}

/* Make copies and parity again that were lost with their holders or found to be damaged, so that
 * the next death finds them. Those that are in their places stay untouched. */
static int heal(struct restoration *x)
{
	struct image_store *k = x->images;
	bool lacks[RS_GROUP_MAX];

	for (int b = 0; b < k->levels.buddies; b++) {
		if (!is_there(&x->inventory, images_partner(k, k->role, b), k->role, b))
			RB_TRY(images_send_copy(k, &x->transfer, x->inventory.line[k->role], b));
		if (!is_there(&x->inventory, k->role, images_owner(k, b), b))
			RB_TRY(images_expect_copy(k, &x->transfer,
						  x->inventory.line[images_owner(k, b)], b));
	}
	if (list_lacking(&x->inventory, &k->group, lacks))
		RB_TRY(images_exchange_parity(k, &x->transfer, x->inventory.line[k->role], lacks));
	return transfer_wait(&x->transfer);
}

static int restore_in_memory(struct restoration *x, double begin, struct rb_error *err)
{
	struct role *r = x->r;

	x->inventory = (struct inventory){ .np = r->cfg->np, .line = r->lines };
	x->inventory.of = calloc((size_t)r->cfg->np, sizeof *x->inventory.of);
	if (!x->inventory.of)
		return rb_fail(err, RB_ENOMEM, "out of memory during recovery");
	RB_TRY(fetch(x));
	RB_TRY(load_states(x, begin, err));
	return r->epoch > 0 && r->line > 0 ? heal(x) : RB_OK;
}

int restore(struct role *r, struct save *save, struct kernel_state *duplicate, struct rb_error *err)
{
	struct restoration x = { .r = r, .images = save->images, .duplicate = duplicate };
	double begin = clock_now();
	int rc = RB_OK;

	if (!r->restored)
		role_enter(r, LEDGER_RESTORE);
	transfer_init(&x.transfer, &r->link);
	if (!r->restored &&
	    images_slot(x.images, save->file.iter) == images_slot(x.images, r->line))
		save_join(save); /* an image may arrive where the thread still reads */
	if (levels_in_memory(&r->cfg->levels))
		rc = restore_in_memory(&x, begin, err);
	else
		rc = load_states(&x, begin, err);
	if (rc != RB_OK) { /* no message may arrive in memory that is freed below */
		MPIX_Comm_revoke(r->link.comm);
		transfer_abort(&x.transfer);
		dissemination_abort(&r->rounds);
	}
	transfer_free(&x.transfer);
	free(x.inventory.of);
	return rc;
}

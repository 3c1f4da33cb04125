#include "ft/ledger.h"

#include "base/mapped.h"
#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char *const phase_names[] = {
	[LEDGER_SETUP] = "setup",           [LEDGER_STEP] = "step",
	[LEDGER_CHECKPOINT] = "checkpoint", [LEDGER_REPAIR] = "repair",
	[LEDGER_RESTORE] = "restore",       [LEDGER_REPLAY] = "replay",
	[LEDGER_SUPPORT] = "support",       [LEDGER_BLOCKED] = "blocked",
	[LEDGER_FINISH] = "finish",         [LEDGER_VERIFY] = "verify",
	[LEDGER_CLOSE] = "close",           [LEDGER_DONE] = "done",
	[LEDGER_FAILED] = "failed",
};

const char *ledger_phase_name(enum ledger_phase phase)
{
	return phase_names[phase];
}

const char *ledger_constants_name(enum ledger_constants from)
{
	static const char *const names[] = { [CONSTANTS_NONE] = "none",
					     [CONSTANTS_KEPT] = "kept",
					     [CONSTANTS_COMPUTED] = "computed" };

	return names[from];
}

const struct ledger_event *ledger_event_of(const struct ledger *l, int64_t epoch)
{
	for (int i = 0; i < l->event_count && i < LEDGER_EVENTS; i++)
		if (l->event[i].epoch == epoch)
			return &l->event[i];
	return NULL;
}

static void ledger_path(const char *dir, int role, char *out, size_t size)
{
	snprintf(out, size, "%s/role.%d.ledger", dir, role);
}

static void ledger_init(struct ledger *l, int role)
{
	memset(l, 0, sizeof *l);
	l->version = LEDGER_VERSION;
	l->role = role;
	l->setup_s = -1;
	l->loop_s = -1;
	l->t_loop = -1;
	l->heap = -1;
	l->finished_at = -1;
	l->magic = LEDGER_MAGIC;
}

static int refuse(const char *path, int role, struct rb_error *err)
{
	return rb_fail(err, RB_ECORRUPT,
		       "ledger %s: not one of role %d, or written by another version of rollbench",
		       path, role);
}

struct ledger *ledger_open(const char *dir, int role, struct rb_error *err)
{
	char path[4096];
	struct ledger *l;

	ledger_path(dir, role, path, sizeof path);
	l = mapped_open(path, sizeof *l);
	if (!l) {
		rb_fail(err, RB_EIO, "ledger %s: %s", path, strerror(errno));
		return NULL;
	}
	if (l->magic != LEDGER_MAGIC)
		ledger_init(l, role);
	if (l->version == LEDGER_VERSION && l->role == role)
		return l;
	munmap(l, sizeof *l);
	refuse(path, role, err);
	return NULL;
}

const struct ledger *ledger_map(const char *dir, int role)
{
	const struct ledger *l;
	char path[4096];

	ledger_path(dir, role, path, sizeof path);
	l = mapped_view(path, sizeof *l);
	if (l && l->magic == LEDGER_MAGIC && l->version == LEDGER_VERSION && l->role == role)
		return l;
	ledger_unmap(l);
	return NULL;
}

void ledger_unmap(const struct ledger *l)
{
	mapped_end(l, sizeof *l);
}

double ledgers_begun(const struct ledger *ledger, int np)
{
	double begun = NAN;

	for (int r = 0; r < np; r++)
		if (ledger[r].t_loop > 0)
			begun = fmin(begun, ledger[r].t_loop);
	return begun;
}

void ledger_sync(struct ledger *l)
{
	msync(l, sizeof *l, MS_SYNC);
}

void ledger_close(struct ledger *l)
{
	if (l)
		munmap(l, sizeof *l);
}

int ledger_read(const char *dir, int role, struct ledger *out, struct rb_error *err)
{
	char path[4096];
	size_t got;
	FILE *f;

	ledger_path(dir, role, path, sizeof path);
	f = fopen(path, "re");
	if (!f)
		return rb_fail(err, RB_EIO, "ledger %s: %s", path, strerror(errno));
	got = fread(out, 1, sizeof *out, f);
	fclose(f);
	if (got != sizeof *out || out->magic != LEDGER_MAGIC || out->version != LEDGER_VERSION ||
	    out->role != role)
		return refuse(path, role, err);
	return RB_OK;
}

void ledger_read_all(const char *dir, int np, struct ledger *out)
{
	struct rb_error ignored;

	for (int r = 0; r < np; r++)
		if (ledger_read(dir, r, &out[r], &ignored) != RB_OK)
			memset(&out[r], 0, sizeof out[r]);
}

int64_t ledger_newest_line(const char *dir, int np)
{
	int64_t newest = 0;
	struct rb_error err;
	struct ledger l;

	for (int r = 0; r < np; r++)
		if (ledger_read(dir, r, &l, &err) == RB_OK && l.line > newest)
			newest = l.line;
	return newest;
}

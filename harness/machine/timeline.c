#include "harness/machine/timeline.h"

#include "base/clock.h"
#include "base/mapped.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME "timeline."
enum { PATH_SIZE = 4096 };

const char *timeline_name(int what)
{
	static const char *const activity[FT_ACTIVITIES] = {
		[FT_WAITING] = "wait",     [FT_STANDBY] = "standby", [FT_REVOKING] = "revoke",
		[FT_AGREEING] = "agree",   [FT_DRAINING] = "drain",  [FT_SHRINKING] = "shrink",
		[FT_GATHERING] = "gather", [FT_SPAWNING] = "spawn",  [FT_ADOPTING] = "adopt",
	};

	return what >= TIMELINE_ACTIVITIES ? activity[what - TIMELINE_ACTIVITIES]
					   : usage_phase_name(what);
}

struct timeline *timeline_open(const char *dir, int job, int slot, int spare, struct rb_error *err)
{
	char path[PATH_SIZE], host[sizeof((struct timeline *)0)->host] = "";
	struct timeline *t;

	gethostname(host, sizeof host - 1);
	snprintf(path, sizeof path, "%s/" NAME "%d.%s.%jd", dir, job, host, (intmax_t)getpid());
	t = mapped_open(path, sizeof *t);
	if (!t) {
		rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
		unlink(path);
		return NULL;
	}
	memset(t, 0, sizeof *t); /* no iteration is to wait for a new page */
	t->job = job;
	t->slot = slot;
	t->spare = spare;
	t->role = -1;
	t->pid = getpid();
	memcpy(t->host, host, sizeof t->host);
	t->adopted = t->ended = -1;
	t->began = clock_now();
	t->magic = TIMELINE_MAGIC;
	return t;
}

static void begin(struct timeline *t, int what, int64_t iter, double now)
{
	if (t->depth == TIMELINE_DEPTH)
		return;
	t->open[t->depth] = (struct timeline_row){ what, t->serial++, iter, now, -1 };
	/* only now, and the compiler keeps that order: a death before this leaves nothing
	 * incomplete */
	__atomic_store_n(&t->depth, t->depth + 1, __ATOMIC_RELEASE);
}

static void end(struct timeline *t, int what, double now)
{
	struct timeline_row row = t->open[t->depth - 1];
	const bool waits = what == TIMELINE_ACTIVITIES + FT_WAITING;

	row.what = what;
	row.ended = now;
	if (!waits || now - row.begun >= TIMELINE_LEAST_S) {
		if (t->rows < (waits ? TIMELINE_WAITS : TIMELINE_ROWS)) {
			t->row[t->rows] = row;
			__atomic_store_n(&t->rows, t->rows + 1, __ATOMIC_RELEASE);
		} else {
			t->dropped++;
		}
	}
	__atomic_store_n(&t->depth, t->depth - 1, __ATOMIC_RELEASE);
}

void timeline_adopt(struct timeline *t, int role, int32_t incarnation)
{
	if (!t)
		return;
	t->adopted = clock_now();
	while (t->depth > 0)
		end(t, t->open[t->depth - 1].what, t->adopted);
	t->role = role;
	t->first = incarnation == 1;
	begin(t, LEDGER_SETUP, 0, t->adopted);
}

void timeline_enter(struct timeline *t, int64_t iter, enum ledger_phase phase)
{
	struct timeline_row *now;
	double at;

	if (!t || t->depth == 0)
		return;
	now = &t->open[0];
	/* the first state is made in the same phases as a restored one */
	if (t->first && now->what == LEDGER_SETUP && phase != LEDGER_STEP && phase != LEDGER_REPAIR)
		return;
	if (now->what == (int)phase && now->iter == iter)
		return;
	at = clock_now();
	while (t->depth > 1) /* what it did when it saw the failure */
		end(t, t->open[t->depth - 1].what, at);
	end(t, usage_gives_up(now->what, now->iter, phase, iter) ? (int)USAGE_ABORTED : now->what,
	    at);
	begin(t, (int)phase, iter, at);
}

void timeline_does(struct timeline *t, enum ft_activity what, bool begins)
{
	const int kind = TIMELINE_ACTIVITIES + (int)what;

	if (!t)
		return;
	if (begins)
		begin(t, kind, t->depth > 0 ? t->open[0].iter : -1, clock_now());
	else if (t->depth > 0 && t->open[t->depth - 1].what == kind)
		end(t, kind, clock_now());
}

void timeline_close(struct timeline *t)
{
	if (!t)
		return;
	t->ended = clock_now();
	while (t->depth > 0)
		end(t, t->open[t->depth - 1].what, t->ended);
	/* another host reads it, too */
	msync(t, offsetof(struct timeline, row) + (size_t)t->rows * sizeof *t->row, MS_SYNC);
	munmap(t, sizeof *t);
}

static const struct timeline *timeline_read(const char *path)
{
	const struct timeline *t = mapped_view(path, sizeof *t);

	if (t && t->magic == TIMELINE_MAGIC && t->rows >= 0 && t->rows <= TIMELINE_ROWS &&
	    t->depth >= 0 && t->depth <= TIMELINE_DEPTH)
		return t;
	mapped_end(t, sizeof *t);
	return NULL;
}

static int in_order(const void *a, const void *b)
{
	const struct timeline *x = *(const struct timeline *const *)a,
			      *y = *(const struct timeline *const *)b;

	if (x->job != y->job)
		return x->job - y->job;
	return x->slot != y->slot ? x->slot - y->slot
				  : (x->began > y->began) - (x->began < y->began);
}

static int is_timeline(const struct dirent *entry)
{
	return strncmp(entry->d_name, NAME, strlen(NAME)) == 0;
}

int timeline_read_all(const char *dir, const struct timeline ***all, int *count)
{
	struct dirent **entry = NULL;
	const int files = scandir(dir, &entry, is_timeline, NULL);
	char path[PATH_SIZE];

	*count = 0;
	*all = calloc((size_t)(files > 0 ? files : 0) + 1, sizeof **all);
	for (int i = 0; i < files; i++) {
		const struct timeline *t = NULL;

		if (*all &&
		    snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name) < (int)sizeof path)
			t = timeline_read(path);
		if (t)
			(*all)[(*count)++] = t;
		free(entry[i]);
	}
	free(entry);
	if (!*all)
		return RB_ENOMEM;
	qsort(*all, (size_t)*count, sizeof **all, in_order);
	return RB_OK;
}

void timeline_unmap_all(const struct timeline **all, int count)
{
	for (int i = 0; all && i < count; i++)
		mapped_end(all[i], sizeof *all[i]);
	free(all);
}

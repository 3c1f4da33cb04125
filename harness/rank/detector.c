#include "harness/rank/detector.h"

#include "base/deaths.h"
#include "base/status.h"

#include <dlfcn.h>
#include <limits.h>
#include <pmix.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct detector {
	struct deaths *deaths;
	pmix_status_t (*notify)(pmix_status_t status, const pmix_proc_t *source,
				pmix_data_range_t range, const pmix_info_t *info, size_t count,
				pmix_op_cbfunc_t done, void *ctx);
};

/* Of the library that the MPI has loaded: a program that is linked with PMIx could have another
 * one. */
static bool find(const char *name, void *function)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &found, sizeof found);
	return found;
}

/* PMIx counts who has initialised it. The MPI has, so this only asks who this process is. */
static bool who_is_this(pmix_proc_t *self)
{
	int (*initialized)(void);
	pmix_status_t (*init)(pmix_proc_t *self, pmix_info_t *info, size_t count);
	pmix_status_t (*finalize)(const pmix_info_t *info, size_t count);

	if (!find("PMIx_Initialized", &initialized) || !find("PMIx_Init", &init) ||
	    !find("PMIx_Finalize", &finalize))
		return false;
	return initialized() && init(self, NULL, 0) == PMIX_SUCCESS &&
	       finalize(NULL, 0) == PMIX_SUCCESS;
}

/* What the daemon sends: the process was aborted. Nobody else is told, since all tell themselves.
 * If this fails, the daemon's message has to do. */
static void tell_mpi(void *ctx, const void *card)
{
	struct detector *d = ctx;
	pmix_proc_t dead;
	pmix_info_t about[] = {
		{ .key = PMIX_EVENT_AFFECTED_PROC,
		  .value = { .type = PMIX_PROC, .data = { .proc = &dead } } },
		/* not for who asks for events later: the list of them has no lock */
		{ .key = PMIX_EVENT_DO_NOT_CACHE,
		  .value = { .type = PMIX_BOOL, .data = { .flag = true } } },
	};

	memcpy(&dead, card, sizeof dead);
	d->notify(PMIX_ERR_PROC_ABORTED, &dead, PMIX_RANGE_PROC_LOCAL, about, 2, NULL, NULL);
}

/* As with the roster, each host has a file of its own. */
static void table_path(const char *dir, int job, char *out, size_t size)
{
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof host - 1);
	snprintf(out, size, "%s/members.%d.%s", dir, job, host);
}

struct detector *detector_start(const char *dir, int job, int most, struct rb_error *err)
{
	struct detector *d = calloc(1, sizeof *d);
	char path[PATH_MAX + HOST_NAME_MAX];
	pmix_proc_t self;

	_Static_assert(sizeof self <= DEATHS_CARD, "a card has the name of a process");
	if (!d) {
		rb_fail(err, RB_ENOMEM, "out of memory");
		return NULL;
	}
	table_path(dir, job, path, sizeof path);
	if (!find("PMIx_Notify_event", &d->notify) || !who_is_this(&self))
		rb_fail(err, RB_EMPI, "the MPI has no PMIx that could be told of a death");
	else
		d->deaths = deaths_join(path, most, &self, sizeof self, tell_mpi, d, err);
	if (d->deaths)
		return d;
	free(d);
	return NULL;
}

void detector_stop(struct detector *d)
{
	if (!d)
		return;
	deaths_leave(d->deaths);
	free(d);
}

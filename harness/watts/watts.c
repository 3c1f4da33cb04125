#include "harness/watts/watts.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/watts/watts_inside.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char prefix[] = "cmd:";

static const double FIRST_S = 10; /* for the first reading of a command */
/* After a run, for the next reading of every node: so many of the longest times between two of its
 * readings, at least and at most so many seconds. */
static const double NEXT = 3, NEXT_LEAST_S = 1, NEXT_MOST_S = 30;
static const double RECENT_S = 10;

static void nap(void)
{
	const struct timespec pause = { 0, 20000000 };

	nanosleep(&pause, NULL);
}

static FILE *open_source(const struct watts *w)
{
	return w->command ? meter_command_output(&w->meter) : fopen(w->source, "re");
}

/* Read everything that is there. */
static int read_now(struct watts *w, struct rb_error *err)
{
	FILE *f = open_source(w);
	struct rb_error why;
	int rc;

	series_free(&w->series);
	if (!f)
		return rb_fail(err, RB_EIO, "--watts %.200s: %s", w->source, strerror(errno));
	text_skip_mark(f);
	rc = series_read(&w->series, f, w->source, &why);
	fclose(f);
	return rc == RB_OK ? RB_OK : rb_fail(err, rc, "--watts: %.400s", why.text);
}

static int check_file(struct watts *w, struct rb_error *err)
{
	struct stat file;

	if (stat(w->source, &file) != 0)
		return rb_fail(err, RB_EIO,
			       "--watts %.200s: %s; for a command write cmd: before it", w->source,
			       strerror(errno));
	if (!S_ISREG(file.st_mode))
		return rb_fail(
			err, RB_EINVAL,
			"--watts %.200s: not a plain file; for a pipe or a device, let a command "
			"read it: --watts \"cmd:cat %.200s\"",
			w->source, w->source);
	return read_now(w, err);
}

int watts_open(const char *source, double min_w, struct watts **out, struct rb_error *err)
{
	struct watts *w;
	int rc = RB_OK;

	*out = NULL;
	if (!source)
		return min_w > 0 ? rb_fail(err, RB_EINVAL, "--watts-min: only with --watts")
				 : RB_OK;
	w = calloc(1, sizeof *w);
	if (!w)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	w->source = source;
	w->min_w = min_w;
	w->meter = (struct meter_command){ .socket = -1, .output = -1, .messages = -1 };
	if (strncmp(source, prefix, sizeof prefix - 1) == 0)
		w->command = source + sizeof prefix - 1;
	if (w->command && !w->command[strspn(w->command, " \t")])
		rc = rb_fail(err, RB_EINVAL, "--watts %s: expected a command behind cmd:", source);
	else if (!w->command)
		rc = check_file(w, err);
	if (rc != RB_OK)
		watts_free(w);
	else
		*out = w;
	return rc;
}

/* Wait for the first reading of the command. */
static int await_first(struct watts *w, struct rb_error *err)
{
	const double until = clock_monotonic() + FIRST_S;
	char how[METER_COMMAND_TEXT];

	for (;;) {
		/* before the look at what it wrote */
		bool ended = meter_command_has_ended(&w->meter);

		RB_TRY(read_now(w, err));
		if (w->series.count > 0)
			return RB_OK;
		if (launch_signal())
			return RB_LOST;
		if (ended) {
			meter_command_describe(&w->meter, how);
			return rb_fail(
				err, RB_EINVAL,
				"--watts %.150s: the command ended without a reading: %.250s",
				w->source, how);
		}
		if (clock_monotonic() > until)
			return rb_fail(
				err, RB_EINVAL,
				"--watts %.150s: no reading within %.0f s: expected lines of "
				"time,node,watts on its standard output, each written at once "
				"(docs/energy.md)",
				w->source, FIRST_S);
		nap();
	}
}

/* End the command, whose output is not needed any more. */
static void stop(struct watts *w)
{
	meter_command_stop(&w->meter);
	meter_command_free(&w->meter);
}

static int begin(struct watts *w, struct rb_error *err)
{
	int rc;

	w->trouble.text[0] = w->end[0] = '\0';
	series_free(&w->series);
	w->begun = clock_now();
	if (!w->command)
		return RB_OK;
	rc = meter_command_start(&w->meter, w->command, err);
	if (rc == RB_OK)
		rc = await_first(w, err);
	if (rc != RB_OK)
		stop(w);
	return rc;
}

/* How long it may last until every node has a reading from behind the run; 0: every node has. */
static double missing_s(const struct watts *w)
{
	double longest = 0;
	bool all = true;

	for (size_t i = 0; i < w->series.count; i++) {
		const struct series_node *n = &w->series.node[i];

		all = all && n->reading[n->count - 1].time >= w->ended;
		longest = fmax(longest, series_gap(n->reading, n->count, -INFINITY, INFINITY));
	}
	return all ? 0 : fmin(fmax(NEXT * longest, NEXT_LEAST_S), NEXT_MOST_S);
}

/* Does anybody still write? Into a file this is so if it has changed in the run or shortly
 * before. */
static bool grows(struct watts *w)
{
	struct stat file;

	if (w->command)
		return !meter_command_has_ended(&w->meter);
	return stat(w->source, &file) == 0 && (double)file.st_mtime > w->begun - RECENT_S;
}

/* Read what belongs to the run, and end the command. */
static void finish(struct watts *w)
{
	double now = clock_monotonic();
	bool growing;

	w->ended = clock_now();
	growing = grows(w);
	if (w->command && !growing)
		meter_command_describe(&w->meter, w->end);
	while (read_now(w, &w->trouble) == RB_OK && growing && !launch_signal() &&
	       clock_monotonic() < now + missing_s(w)) {
		nap();
		growing = grows(w);
	}
	stop(w);
}

int watts_launch(struct watts *w, const struct run_spec *spec, const char *parent,
		 enum launch_use use, struct launch *launch, struct rb_error *err)
{
	int rc;

	if (w)
		RB_TRY(begin(w, err));
	rc = launch_run(spec, parent, use, launch, err);
	if (w && rc == RB_OK)
		finish(w);
	else if (w)
		stop(w);
	return rc;
}

void watts_free(struct watts *w)
{
	if (!w)
		return;
	stop(w);
	series_free(&w->series);
	free(w);
}

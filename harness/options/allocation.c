#include "harness/options/allocation.h"

#include "base/hostname.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 8192 };

static int expand(struct hosts *h, const char *before, const char *pattern, struct rb_error *err);

/* One item of a bracket, "7" or "08-11", whose numbers keep their width. */
static int expand_range(struct hosts *h, const char *before, const char *item, const char *after,
			struct rb_error *err)
{
	const char *at = item;
	int64_t first, last;
	int width;

	if (!text_digits(&at, &first))
		return rb_fail(err, RB_EINVAL, "%.80s: expected a number", item);
	width = (int)(at - item);
	last = first;
	if ((*at == '-' && (at++, !text_digits(&at, &last))) || *at || last < first ||
	    last - first >= HOSTS_MAX)
		return rb_fail(err, RB_EINVAL, "%.80s: expected a range of at most %d numbers",
			       item, HOSTS_MAX);
	for (; first <= last; first++) {
		char begin[2 * HOST_NAME];

		if (snprintf(begin, sizeof begin, "%s%0*" PRId64, before, width, first) >=
		    HOST_NAME)
			return rb_fail(err, RB_EINVAL,
				       "%.80s...: host names have up to %d characters", begin,
				       HOST_NAME - 1);
		RB_TRY(expand(h, begin, after, err));
	}
	return RB_OK;
}

/* `before` has no bracket any more, and the pattern is what follows it. */
static int expand(struct hosts *h, const char *before, const char *pattern, struct rb_error *err)
{
	const char *open = strchr(pattern, '['), *close = open ? strchr(open, ']') : NULL;
	char begin[2 * HOST_NAME], items[LINE], *save, *item;

	if (snprintf(begin, sizeof begin, "%s%.*s", before,
		     open ? (int)(open - pattern) : (int)strlen(pattern), pattern) >= HOST_NAME)
		return rb_fail(err, RB_EINVAL, "%.80s...: host names have up to %d characters",
			       begin, HOST_NAME - 1);
	if (!open)
		return hosts_add(h, begin, 0, err);
	if (!close)
		return rb_fail(err, RB_EINVAL, "%.80s: ] is missing", pattern);
	snprintf(items, sizeof items, "%.*s", (int)(close - open - 1), open + 1);
	for (item = strtok_r(items, ",", &save); item; item = strtok_r(NULL, ",", &save))
		RB_TRY(expand_range(h, begin, item, close + 1, err));
	return RB_OK;
}

/* The length of the list up to a comma outside brackets. */
static size_t first_length(const char *list)
{
	bool inside = false;
	size_t n = 0;

	for (; list[n] && (inside || list[n] != ','); n++)
		inside = list[n] == '[' || (inside && list[n] != ']');
	return n;
}

int allocation_expand(struct hosts *h, const char *list, struct rb_error *err)
{
	while (*list) {
		size_t length = first_length(list);
		char *one = strndup(list, length);
		int rc = one ? expand(h, "", one, err) : rb_fail(err, RB_ENOMEM, "out of memory");

		free(one);
		RB_TRY(rc);
		list += length + (list[length] == ',');
	}
	return RB_OK;
}

/* "8(x2),4": the CPUs of two hosts, and of one. */
static void slurm_slots(struct hosts *h, const char *text)
{
	int64_t slots, times;

	for (int i = 0; text && text_digits(&text, &slots);) {
		times = 1;
		if (strncmp(text, "(x", 2) == 0 && (text += 2, !text_digits(&text, &times)))
			return;
		text += *text == ')';
		text += *text == ',';
		for (; times > 0 && i < h->count; times--)
			h->host[i++].slots = (int)slots;
	}
}

/* A file with a line for each slot. */
static int read_lines(struct hosts *h, const char *path, struct rb_error *err)
{
	FILE *f = fopen(path, "re");
	char line[LINE];
	int rc = RB_OK;

	if (!f)
		return rb_fail(err, RB_EINVAL, "%s: %s", path, strerror(errno));
	text_skip_mark(f);
	while (rc == RB_OK && fgets(line, sizeof line, f)) {
		line[strcspn(line, " \t\r\n")] = '\0';
		if (line[0])
			rc = hosts_add(h, line, 1, err);
	}
	fclose(f);
	return rc;
}

/* "h1 4 h2 4" */
static int read_pairs(struct hosts *h, const char *pairs, struct rb_error *err)
{
	char *copy = strdup(pairs), *save, *name, *slots;
	int rc = copy ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

	for (name = copy ? strtok_r(copy, " ", &save) : NULL; rc == RB_OK && name;
	     name = strtok_r(NULL, " ", &save)) {
		int64_t number = 1;

		slots = strtok_r(NULL, " ", &save);
		rc = !slots || text_integer(slots, 1, 1 << 20, &number)
			     ? hosts_add(h, name, (int)number, err)
			     : rb_fail(err, RB_EINVAL, "%.60s %.60s: expected HOST SLOTS ...", name,
				       slots);
	}
	free(copy);
	return rc;
}

static int ask_flux(struct hosts *h, struct rb_error *err)
{
	FILE *f = popen("flux getattr hostlist 2>/dev/null", "re");
	char line[LINE] = "";

	if (f && fgets(line, sizeof line, f))
		line[strcspn(line, " \t\r\n")] = '\0';
	if (f)
		pclose(f);
	return allocation_expand(h, line, err);
}

static int read_slurm(struct hosts *h, const char *value, struct rb_error *err)
{
	RB_TRY(allocation_expand(h, value, err));
	slurm_slots(h, getenv("SLURM_JOB_CPUS_PER_NODE"));
	return RB_OK;
}

static int read_flux(struct hosts *h, const char *value, struct rb_error *err)
{
	(void)value;
	return ask_flux(h, err);
}

static const struct {
	const char *system, *variable;
	int (*read)(struct hosts *h, const char *value, struct rb_error *err);
} known[] = {
	{ "Slurm", "SLURM_JOB_NODELIST", read_slurm },
	{ "PBS", "PBS_NODEFILE", read_lines },
	{ "LSF", "LSB_DJOB_HOSTFILE", read_lines },
	{ "LSF", "LSB_MCPU_HOSTS", read_pairs },
	{ "Flux", "FLUX_URI", read_flux },
};

/* Equal slots say no more than none, as in a host file without them. */
static void drop_equal_slots(struct hosts *h)
{
	for (int i = 1; i < h->count; i++)
		if (h->host[i].slots != h->host[0].slots)
			return;
	for (int i = 0; i < h->count; i++)
		h->host[i].slots = 0;
}

static bool is_this_host(const char *name)
{
	char mine[HOST_NAME] = "";

	gethostname(mine, sizeof mine - 1);
	return hostname_same(mine, name);
}

bool allocation_is_left(void)
{
	return getenv("ROLLBENCH_NO_ALLOCATION") != NULL;
}

int allocation_find(struct hosts *h, char from[ALLOCATION_TEXT], struct rb_error *err)
{
	struct rb_error why;

	h->count = 0;
	h->file = NULL;
	from[0] = '\0';
	if (allocation_is_left())
		return RB_OK;
	for (size_t i = 0; i < sizeof known / sizeof *known && h->count == 0; i++) {
		const char *value = getenv(known[i].variable);

		if (!value || !value[0])
			continue;
		snprintf(from, ALLOCATION_TEXT, "%s ($%s)", known[i].system, known[i].variable);
		if (known[i].read(h, value, &why) != RB_OK)
			return rb_fail(
				err, RB_EINVAL,
				"the allocation of %s: %s; remedy: name the hosts with --hostfile",
				from, why.text);
	}
	drop_equal_slots(h);
	if (h->count == 0)
		from[0] = '\0';
	else if (h->count == 1 && is_this_host(h->host[0].name))
		h->count = 0;
	return RB_OK;
}

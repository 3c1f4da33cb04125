#include "harness/options/hosts.h"

#include "base/hostname.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1024, HOSTS_PATH = 4096 };

static int find(const struct hosts *h, const char *name)
{
	for (int i = 0; i < h->count; i++)
		if (hostname_same(h->host[i].name, name) ||
		    (h->host[i].own[0] && hostname_same(h->host[i].own, name)))
			return i;
	return -1;
}

/* Read one line, whose comment is removed already. An empty line is skipped. */
static int take_line(struct hosts *h, char *line, const char *path, int number,
		     struct rb_error *err)
{
	static const char blank[] = " \t\r\n";
	char *save, *name = strtok_r(line, blank, &save), *word;
	struct host *host;
	int64_t slots;

	if (!name)
		return RB_OK;
	if (strlen(name) >= HOST_NAME || h->count == HOSTS_MAX)
		return rb_fail(
			err, RB_EINVAL,
			"%s:%d: %.80s: host names have up to %d characters, files up to %d hosts",
			path, number, name, HOST_NAME - 1, HOSTS_MAX);
	if (find(h, name) >= 0)
		return rb_fail(err, RB_EINVAL,
			       "%s:%d: host %s is named twice; give it slots=N instead", path,
			       number, name);
	for (int i = 0; i < h->count; i++)
		if (hostname_namesakes(h->host[i].name, name))
			return rb_fail(err, RB_EINVAL,
				       "%s:%d: the MPI takes %s and %s for the same host, since it "
				       "leaves domains out; use addresses instead",
				       path, number, h->host[i].name, name);
	host = &h->host[h->count];
	*host = (struct host){ .slots = 0 };
	memcpy(host->name, name, strlen(name) + 1);
	while ((word = strtok_r(NULL, blank, &save))) {
		if (strncmp(word, "slots=", 6) != 0 || !text_integer(word + 6, 1, 1 << 20, &slots))
			return rb_fail(err, RB_EINVAL, "%s:%d: %.80s: expected HOST [slots=N]",
				       path, number, word);
		host->slots = (int)slots;
	}
	h->count++;
	return RB_OK;
}

int hosts_add(struct hosts *h, const char *name, int slots, struct rb_error *err)
{
	int i = find(h, name);

	if (strlen(name) >= HOST_NAME || (i < 0 && h->count == HOSTS_MAX))
		return rb_fail(err, RB_EINVAL,
			       "%.80s: host names have up to %d characters, and there may be up to "
			       "%d hosts",
			       name, HOST_NAME - 1, HOSTS_MAX);
	if (i < 0) {
		i = h->count++;
		h->host[i] = (struct host){ .slots = 0 };
		memcpy(h->host[i].name, name, strlen(name) + 1);
	}
	h->host[i].slots += slots;
	return RB_OK;
}

int hosts_load(struct hosts *h, const char *path, struct rb_error *err)
{
	FILE *f = fopen(path, "re");
	char line[LINE];
	int rc = RB_OK;

	if (!f)
		return rb_fail(err, RB_EIO, "--hostfile %s: %s", path, strerror(errno));
	text_skip_mark(f);
	h->file = path;
	h->count = 0;
	for (int number = 1; rc == RB_OK && fgets(line, sizeof line, f); number++) {
		line[strcspn(line, "#")] = '\0';
		rc = take_line(h, line, path, number, err);
	}
	if (rc == RB_OK && (ferror(f) || h->count == 0))
		rc = rb_fail(err, RB_EINVAL, "--hostfile %s: it names no host", path);
	fclose(f);
	return rc;
}

void hosts_source(const struct hosts *h, char out[HOSTS_SOURCE])
{
	if (h->file)
		snprintf(out, HOSTS_SOURCE, "--hostfile %s", h->file);
	else
		snprintf(out, HOSTS_SOURCE, "the allocation");
}

int hosts_check(const struct hosts *h, struct rb_error *err)
{
	int left = 0;

	if (h->count == 0 && h->spare_hosts > 0)
		return rb_fail(
			err, RB_EINVAL,
			"--spare-hosts: it needs --hostfile, or an allocation of several hosts");
	for (int i = 0; i < h->count; i++)
		left += !h->host[i].lost;
	if (h->count > 0 && left == 0)
		return rb_fail(err, RB_EIO, "no host is left");
	if (h->count > 0 && h->spare_hosts >= h->count)
		return rb_fail(err, RB_EINVAL,
			       "--spare-hosts %d: of %d hosts at least one has to have roles",
			       h->spare_hosts, h->count);
	return RB_OK;
}

struct view {
	int first, end;
};

static int weight(const struct host *h)
{
	return h->lost ? 0 : h->slots > 0 ? h->slots : 1;
}

static int total(const struct hosts *h, struct view v)
{
	int sum = 0;

	for (int i = v.first; i < v.end; i++)
		sum += weight(&h->host[i]);
	return sum;
}

/* The hosts for roles, or for spares; if all of them are lost, every host. */
static struct view view_of(const struct hosts *h, bool spares)
{
	int first_spare = h->count - h->spare_hosts;
	struct view v = { spares ? first_spare : 0, spares ? h->count : first_spare };

	return total(h, v) > 0 ? v : (struct view){ 0, h->count };
}

/* The host whose share of the slots the middle of the role's share of the roles falls into. */
static int host_of_role(const struct hosts *h, int np, int role)
{
	struct view v = view_of(h, false);
	double at = (role + 0.5) * total(h, v) / np;
	int i = v.first, last = v.first;

	for (; i < v.end; i++) {
		if (weight(&h->host[i]) == 0)
			continue;
		last = i;
		at -= weight(&h->host[i]);
		if (at < 0)
			break;
	}
	return last;
}

static int host_of_spare(const struct hosts *h, int spare)
{
	struct view v = view_of(h, true);
	int living = 0, i = v.end;

	for (int k = v.first; k < v.end; k++)
		living += !h->host[k].lost;
	for (int skip = spare % living; skip >= 0; skip--)
		do
			i--;
		while (h->host[i].lost);
	return i;
}

int hosts_of(const struct hosts *h, int np, int rank)
{
	return rank < np ? host_of_role(h, np, rank) : host_of_spare(h, rank - np);
}

int hosts_node(const struct hosts *h, int np, int rank)
{
	bool seen[HOSTS_MAX] = { false };
	int mine = hosts_of(h, np, rank), count = 0;

	for (int r = 0; r <= rank; r++) {
		int i = hosts_of(h, np, r);

		if (i == mine)
			return count;
		count += !seen[i];
		seen[i] = true;
	}
	return count;
}

int hosts_spares_for(const struct hosts *h, int np, int node)
{
	int host = -1, lost = 0, spares = 0, left = 0;

	for (int r = 0; r < np; r++)
		if (hosts_node(h, np, r) == node) {
			host = hosts_of(h, np, r);
			lost++;
		}
	while (left < lost && spares <= np * HOSTS_MAX)
		left += host_of_spare(h, spares++) != host;
	return left < lost ? lost : spares;
}

bool hosts_oversubscribed(const struct hosts *h, int np, int spares, int cores)
{
	int ranks[HOSTS_MAX] = { 0 };

	for (int r = 0; r < np + spares; r++)
		ranks[hosts_of(h, np, r)]++;
	for (int i = 0; i < h->count; i++)
		if (ranks[i] > (h->host[i].slots > 0 ? h->host[i].slots : cores))
			return true;
	return false;
}

/* A line for each rank; if np is 0, for each host that is not lost. *lines: how many. */
static int write_lines(const struct hosts *h, int np, int ranks, const char *path, bool order,
		       int *lines, struct rb_error *err)
{
	FILE *f = fopen(path, "we");
	bool ok = f != NULL;

	*lines = 0;
	for (int i = 0; ok && i < ranks; i++) {
		const struct host *host = &h->host[np > 0 ? hosts_of(h, np, i) : i];
		const size_t length = order ? hostname_short(host->name) : strlen(host->name);

		if (np == 0 && host->lost)
			continue;
		ok = fprintf(f, "%.*s\n", (int)length, host->name) > 0;
		(*lines)++;
	}
	if (f && fclose(f) != 0)
		ok = false;
	return ok ? RB_OK : rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
}

/* hosts_place(); if np is 0, hosts_place_each(). */
static int place(const struct hosts *h, int np, int ranks, const char *path, int *processes,
		 struct rb_error *err)
{
	char order[HOSTS_PATH];

	if (snprintf(order, sizeof order, "%s" HOSTS_ORDER, path) >= (int)sizeof order)
		return rb_fail(err, RB_EIO, "%.80s...: %s", path, strerror(ENAMETOOLONG));
	RB_TRY(write_lines(h, np, ranks, order, true, processes, err));
	return write_lines(h, np, ranks, path, false, processes, err);
}

int hosts_place(const struct hosts *h, int np, int spares, const char *path, struct rb_error *err)
{
	int processes;

	return place(h, np, np + spares, path, &processes, err);
}

int hosts_place_each(const struct hosts *h, const char *path, int *processes, struct rb_error *err)
{
	return place(h, 0, h->count, path, processes, err);
}

/* " Remote daemon: [prterun-head-669@0,2] on node h2": what PRRTE prints about a daemon that it has
 * lost or could not start (docs/ulfm-notes.md). A worker's output contains such a line only if that
 * is intended. */
static bool is_lost(const char *line, char host[HOST_NAME])
{
	static const char daemon[] = "Remote daemon:", on[] = "on node ";
	const char *at = strstr(line, daemon), *name = at ? strstr(at, on) : NULL;

	if (name)
		snprintf(host, HOST_NAME, "%.*s", (int)strcspn(name + sizeof on - 1, " \r\n"),
			 name + sizeof on - 1);
	return name;
}

int hosts_notice(struct hosts *h, const char *log, long from)
{
	FILE *f = fopen(log, "re");
	char line[LINE], name[HOST_NAME];
	int count = 0;

	if (!f || fseek(f, from, SEEK_SET) != 0)
		goto out;
	while (text_line(f, line, sizeof line)) {
		int i = is_lost(line, name) ? find(h, name) : -1;

		if (i < 0 || h->host[i].lost)
			continue;
		h->host[i].lost = true;
		count++;
	}
out:
	if (f)
		fclose(f);
	return count;
}

json_t *hosts_json(const struct hosts *h, bool lost)
{
	json_t *list = json_array();

	for (int i = 0; i < h->count; i++)
		if (!lost || h->host[i].lost)
			json_array_append_new(list, json_string(h->host[i].name));
	return list;
}

json_t *hosts_shape_json(const struct hosts *h)
{
	json_t *slots = json_array();

	for (int i = 0; i < h->count; i++)
		json_array_append_new(slots, json_integer(h->host[i].slots));
	return json_pack("{s:o, s:i}", "slots", slots, "spare_hosts", h->spare_hosts);
}

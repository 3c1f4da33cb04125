#include "profile/profile.h"

#include "base/build.h"
#include "base/status.h"
#include "base/text.h"
#include "profile/gzip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "# rollbench-profile-1", version[] = "# rollbench-profile-",
		  columns[] = "phase,kind,source,destination,count,bytes,size";

/* A file while it is read. */
struct reading {
	struct profile *p;
	const char *path;
	FILE *from;
	char *line;
	size_t room, number; /* number: of the line, from 1 */
	bool columns, complete, ended;
	struct rb_error *err;
};

static int refuse(const struct reading *r, const char *what)
{
	return rb_fail(r->err, RB_EINVAL, "%.200s:%zu: %s", r->path, r->number, what);
}

static int refuse_truncated(const struct reading *r, const char *what)
{
	return rb_fail(r->err, RB_EINVAL,
		       "%.200s:%zu: %s: the file is truncated or damaged; make or copy it again",
		       r->path, r->number, what);
}

/* Read the next line without its end. RB_OK; 1: there is none; RB_EIO, RB_EINVAL. */
static int next(struct reading *r)
{
	ssize_t length;

	errno = 0;
	length = getline(&r->line, &r->room, r->from);
	if (length < 0 && (ferror(r->from) || errno == ENOMEM)) {
		if (errno == EBADMSG)
			return refuse_truncated(r, "the compressed data end here or are wrong");
		return rb_fail(r->err, RB_EIO, "%.200s: %s", r->path,
			       strerror(errno ? errno : EIO));
	}
	if (length < 0)
		return 1;
	r->number++;
	if (length > 0 && r->line[length - 1] != '\n')
		return refuse_truncated(r, "the line has no end");
	r->line[length - 1] = '\0';
	if (length > 1 && r->line[length - 2] == '\r')
		r->line[length - 2] = '\0';
	return RB_OK;
}

static int set_np(struct reading *r, const char *value)
{
	int64_t np;

	if (!text_integer(value, 1, PROFILE_RANKS_MAX, &np))
		return rb_fail(r->err, RB_EINVAL,
			       "%.200s:%zu: np %.40s: expected a number of ranks from 1 to %d",
			       r->path, r->number, value, PROFILE_RANKS_MAX);
	r->p->np = (int)np;
	return RB_OK;
}

static int set_complete(struct reading *r, const char *value)
{
	r->complete = true;
	if (strcmp(value, "yes") == 0)
		return RB_OK;
	if (strncmp(value, "no, ", 4) != 0)
		return refuse(r, "complete: expected `yes` or `no, ` and why");
	return profile_set_incomplete(r->p, value + 4);
}

/* "# end of 12 rows" */
static int end(struct reading *r, const char *text)
{
	int64_t rows;

	if (!text_digits(&text, &rows) || strcmp(text, " rows") != 0)
		return refuse(r, "expected `# end of N rows`");
	if ((size_t)rows != r->p->channels + r->p->collectives)
		return rb_fail(
			r->err, RB_EINVAL,
			"%.200s:%zu: %" PRId64
			" rows expected, %zu found: rows are missing; make or copy the file again",
			r->path, r->number, rows, r->p->channels + r->p->collectives);
	r->ended = true;
	return RB_OK;
}

/* A comment: a line of the header, or the end. Others mean nothing. */
static int comment(struct reading *r)
{
	char *name = r->line + 1, *colon;

	name += strspn(name, " ");
	if (strncmp(name, "end of ", 7) == 0)
		return end(r, name + 7);
	colon = strstr(name, ": ");
	if (!colon || r->columns)
		return RB_OK;
	*colon = '\0';
	if (strcmp(name, "np") == 0)
		return set_np(r, colon + 2);
	if (strcmp(name, "complete") == 0)
		return set_complete(r, colon + 2);
	return profile_set(r->p, name, colon + 2);
}

static int head(struct reading *r)
{
	if (strcmp(r->line, columns) != 0)
		return rb_fail(r->err, RB_EINVAL, "%.200s:%zu: expected the columns %s", r->path,
			       r->number, columns);
	if (r->p->np == 0 || !r->complete)
		return refuse(r, "a line `# np: N` or `# complete: yes` is missing above");
	r->columns = true;
	return RB_OK;
}

/* Numbers that R and pandas read exactly, too. */
#define COUNT_MAX (INT64_C(1) << 53)

enum { PHASE, KIND, SOURCE, DESTINATION, COUNT, BYTES, SIZE, COLUMNS };

struct row {
	int64_t value[COLUMNS]; /* not of KIND */
	const char *kind;
};

static int wrong_number(const struct reading *r, int column, const char *text, int64_t least,
			int64_t most)
{
	static const char *const names[] = { "phase", "kind",  "source", "destination",
					     "count", "bytes", "size" };

	if (column == SOURCE || column == DESTINATION)
		return rb_fail(r->err, RB_EINVAL,
			       "%.200s:%zu: %s %.40s: expected a rank from 0 to %" PRId64
			       ", as np says",
			       r->path, r->number, names[column], text, most);
	return rb_fail(r->err, RB_EINVAL,
		       "%.200s:%zu: %s %.40s: expected a whole number from %" PRId64 " to %" PRId64,
		       r->path, r->number, names[column], text, least, most);
}

static int number(const struct reading *r, int column, const char *text, int64_t *out)
{
	const int64_t rank = r->p->np - 1;
	const int64_t least = column == PHASE                     ? INT32_MIN
			      : column == COUNT || column == SIZE ? 1
								  : 0;
	const int64_t most = column == PHASE                             ? INT32_MAX
			     : column == SOURCE || column == DESTINATION ? rank
			     : column == SIZE                            ? INT32_MAX
									 : COUNT_MAX;
	const bool negative = column == PHASE && text[0] == '-';

	if (!text_integer(text + negative, 0, negative ? -least : most, out) ||
	    (!negative && *out < least))
		return wrong_number(r, column, text, least, most);
	*out = negative ? -*out : *out;
	return RB_OK;
}

static int check_kind(const struct reading *r, const char *kind)
{
	size_t n = strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789_");

	if (n > 0 && n < PROFILE_KIND && kind[n] == '\0')
		return RB_OK;
	return rb_fail(
		r->err, RB_EINVAL,
		"%.200s:%zu: kind %.40s: expected p2p or the name of a collective in small letters",
		r->path, r->number, kind);
}

/* Take the line apart. */
static int split(struct reading *r, struct row *row)
{
	char *at = r->line, *cell;
	int column = 0;

	for (; (cell = strsep(&at, ",")) && column < COLUMNS; column++) {
		bool messages = column > KIND && strcmp(row->kind, "p2p") == 0;

		if (column == KIND) {
			row->kind = cell;
			RB_TRY(check_kind(r, cell));
		} else if (column != (messages ? SIZE : DESTINATION) || column < SOURCE) {
			RB_TRY(number(r, column, cell, &row->value[column]));
		} else if (cell[0]) {
			return refuse(r,
				      messages ? "size: expected nothing for kind p2p"
					       : "destination: expected nothing for a collective");
		}
	}
	return column == COLUMNS && !cell ? RB_OK : refuse_truncated(r, "expected 7 columns");
}

static int refuse_order(const struct reading *r)
{
	return refuse(
		r,
		"the row is not behind the one above it: rows are sorted by phase, kind (p2p "
		"before collectives), source, destination, size, and no two are for the same; sort "
		"the file");
}

/* The messages of a phase come before its collectives. */
static int add_channel(struct reading *r, const int64_t *v)
{
	const struct profile_channel new = { (int32_t)v[PHASE], (int32_t)v[SOURCE],
					     (int32_t)v[DESTINATION], v[COUNT], v[BYTES] };
	const struct profile_channel *m =
		r->p->channels > 0 ? &r->p->channel[r->p->channels - 1] : NULL;
	const struct profile_collective *o =
		r->p->collectives > 0 ? &r->p->collective[r->p->collectives - 1] : NULL;

	if ((m && profile_compare_channels(m, &new) >= 0) || (o && o->phase >= new.phase))
		return refuse_order(r);
	return profile_add_channel(r->p, &new);
}

static int add_collective(struct reading *r, const int64_t *v, const char *kind)
{
	struct profile_collective new = { (int32_t)v[PHASE], (int32_t)v[SOURCE],
					  (int32_t)v[SIZE],  "",
					  v[COUNT],          v[BYTES] };
	const struct profile_channel *m =
		r->p->channels > 0 ? &r->p->channel[r->p->channels - 1] : NULL;
	const struct profile_collective *o =
		r->p->collectives > 0 ? &r->p->collective[r->p->collectives - 1] : NULL;

	snprintf(new.kind, sizeof new.kind, "%s", kind);
	if ((m && m->phase > new.phase) || (o && profile_compare_collectives(o, &new) >= 0))
		return refuse_order(r);
	return profile_add_collective(r->p, &new);
}

static int add(struct reading *r)
{
	struct row row = { .kind = "" };

	if (r->ended)
		return refuse(r, "there is a row behind the end");
	RB_TRY(split(r, &row));
	return strcmp(row.kind, "p2p") == 0 ? add_channel(r, row.value)
					    : add_collective(r, row.value, row.kind);
}

static int begin(struct reading *r)
{
	int rc = next(r);

	if (rc == RB_OK && strcmp(r->line, first_line) == 0)
		return RB_OK;
	if (rc == RB_OK && strncmp(r->line, version, sizeof version - 1) == 0)
		return rb_fail(
			r->err, RB_EINVAL,
			"%.200s:1: version %.40s: this Rollbench reads version 1 only; make the "
			"file again, or take the Rollbench that wrote it",
			r->path, r->line + sizeof version - 1);
	if (rc < 0)
		return rc;
	r->number = 1;
	return refuse(
		r, "not a profile: expected the line `# rollbench-profile-1`; `rollbench profile` "
		   "makes such files");
}

static int read_all(struct reading *r, int np)
{
	int rc;

	RB_TRY(begin(r));
	while ((rc = next(r)) == RB_OK) {
		rc = r->line[0] == '#' ? comment(r) : r->columns ? add(r) : head(r);
		if (rc == RB_ENOMEM)
			return rb_fail(r->err, RB_ENOMEM, "%.200s:%zu: out of memory", r->path,
				       r->number);
		RB_TRY(rc);
		if (r->columns && np > 0 && r->p->np != np)
			return rb_fail(
				r->err, RB_EINVAL,
				"%.200s: a profile of %d ranks, but %d are asked for; profile a "
				"run of %d ranks",
				r->path, r->p->np, np, np);
	}
	if (rc == 1 && !r->ended)
		return refuse_truncated(r, "the line `# end of N rows` is missing");
	return rc == 1 ? RB_OK : rc;
}

int profile_read(struct profile *p, const char *path, int np, struct rb_error *err)
{
	struct reading r = { .p = p, .path = path, .err = err };
	int rc;

	profile_init(p, 0);
	r.from = gzip_reader(path);
	if (!r.from && errno == ENOPKG)
		return rb_fail(err, RB_EINVAL, "%.200s: %s; or unpack the file first (gunzip)",
			       path, library_remedy("isal"));
	if (!r.from)
		return rb_fail(err, RB_EIO, "%.200s: %s", path, strerror(errno));
	rc = read_all(&r, np);
	free(r.line);
	fclose(r.from);
	return rc;
}

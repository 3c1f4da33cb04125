#include "harness/watts/series.h"

#include "base/grow.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, NODE, WATTS, FIELDS };
static const char header[] = "time,node,watts";
static const double WATTS_MOST = 1e7; /* of a node: so that sums are finite */
static const double TIME_MOST =
	4102444800; /* the year 2100: milliseconds since the epoch are more */

/* The text that is read, and where reading is. */
struct reader {
	const char *name;
	long line;
	bool begun; /* the header was read */
	struct rb_error *err;
};

static int refuse(const struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct reader *r, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	return rb_fail(r->err, RB_EINVAL, "%.200s:%ld: %s", r->name, r->line, what);
}

static char *trim(char *text)
{
	static const char blank[] = " \t\r\n";
	size_t length;

	text += strspn(text, blank);
	length = strlen(text);
	while (length > 0 && strchr(blank, text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Cut a line at its commas. Returns how many fields it has; more than FIELDS are not kept. */
static int split(char *line, char *field[FIELDS])
{
	int count = 0;

	for (char *next; line; line = next, count++) {
		next = strchr(line, ',');
		if (next)
			*next++ = '\0';
		if (count < FIELDS)
			field[count] = trim(line);
	}
	return count;
}

/* A number from 0 to `most` that is the whole text. */
static bool number(const char *text, double most, double *out)
{
	return text_real(&text, out) && !*text && *out <= most;
}

static int node_of(const struct reader *r, struct series *s, const char *name,
		   struct series_node **out)
{
	struct series_node *list;

	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->node[i].name, name) == 0) {
			*out = &s->node[i];
			return RB_OK;
		}
	if (!name[0] || strlen(name) >= SERIES_NAME)
		return refuse(r,
			      "node \"%.60s\": expected the name of a host, of up to %d characters",
			      name, SERIES_NAME - 1);
	list = grow(s->node, s->count + 1, &s->room, sizeof *list);
	if (!list)
		return rb_fail(r->err, RB_ENOMEM, "%.200s: out of memory", r->name);
	s->node = list;
	*out = &list[s->count++];
	**out = (struct series_node){ .line = r->line };
	memcpy((*out)->name, name, strlen(name) + 1);
	return RB_OK;
}

static int add(const struct reader *r, struct series_node *node, struct reading reading)
{
	struct reading *list;

	if (node->count > 0 && reading.time < node->reading[node->count - 1].time)
		return refuse(
			r,
			"time: %.3f s before the reading of node %.60s above it: expected the "
			"readings of a node in order of time",
			node->reading[node->count - 1].time - reading.time, node->name);
	list = grow(node->reading, node->count + 1, &node->room, sizeof *list);
	if (!list)
		return rb_fail(r->err, RB_ENOMEM, "%.200s: out of memory", r->name);
	node->reading = list;
	node->reading[node->count++] = reading;
	return RB_OK;
}

static int read_fields(const struct reader *r, struct series *s, char *line)
{
	struct series_node *node = NULL;
	struct reading reading;
	char *field[FIELDS];
	int count = split(line, field);

	if (count != FIELDS)
		return refuse(r, "%d fields: expected three, %s", count, header);
	if (!number(field[TIME], TIME_MOST, &reading.time))
		return refuse(r,
			      "time \"%.60s\": expected seconds since the epoch, as date +%%s.%%N "
			      "prints them",
			      field[TIME]);
	if (!number(field[WATTS], WATTS_MOST, &reading.watts))
		return refuse(r, "watts \"%.60s\": expected a number from 0 to %g", field[WATTS],
			      WATTS_MOST);
	RB_TRY(node_of(r, s, field[NODE], &node));
	return add(r, node, reading);
}

/* An empty line or a comment is skipped. */
static int take_line(struct reader *r, struct series *s, char *line)
{
	char *text = trim(line);

	if (!text[0] || text[0] == '#')
		return RB_OK;
	if (r->begun)
		return read_fields(r, s, text);
	if (strcmp(text, header) != 0)
		return refuse(r, "\"%.60s\": expected the header %s", text, header);
	r->begun = true;
	return RB_OK;
}

int series_read(struct series *s, FILE *f, const char *name, struct rb_error *err)
{
	struct reader r = { .name = name, .err = err };
	char *line = NULL;
	size_t room = 0;
	ssize_t length = 0;
	int rc = RB_OK;

	*s = (struct series){ .count = 0 };
	while (rc == RB_OK && (length = getline(&line, &room, f)) > 0) {
		r.line++;
		if (line[length - 1] !=
		    '\n') /* it may still be being written: a number could lack its last digits */
			s->cut = r.line;
		else if (strlen(line) < (size_t)length)
			rc = refuse(&r, "a byte 0 in a line: expected text");
		else
			rc = take_line(&r, s, line);
	}
	if (rc == RB_OK && ferror(f))
		rc = rb_fail(err, RB_EIO, "%.200s: %s", name, strerror(errno));
	free(line);
	if (rc != RB_OK)
		series_free(s);
	return rc;
}

void series_free(struct series *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->node[i].reading);
	free(s->node);
	*s = (struct series){ .count = 0 };
}

/* The trapezoid between two readings, as far as it lies from `begin` to `end`. */
static double piece(const struct reading *a, const struct reading *b, double begin, double end)
{
	double from = fmax(begin, a->time), to = fmin(end, b->time), slope;

	if (from >= to)
		return 0;
	slope = (b->watts - a->watts) / (b->time - a->time);
	return (to - from) * (a->watts + slope * (0.5 * (from + to) - a->time));
}

double series_joules(const struct reading *reading, size_t count, double begin, double end)
{
	double sum = 0;

	if (count == 0 || reading[0].time > begin || reading[count - 1].time < end)
		return NAN;
	for (size_t i = 1; i < count; i++)
		sum += piece(&reading[i - 1], &reading[i], begin, end);
	return sum;
}

size_t series_within(const struct reading *reading, size_t count, double begin, double end,
		     double *mean_w)
{
	size_t n = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		if (reading[i].time >= begin && reading[i].time <= end) {
			sum += reading[i].watts;
			n++;
		}
	*mean_w = n > 0 ? sum / (double)n : (double)NAN;
	return n;
}

double series_gap(const struct reading *reading, size_t count, double begin, double end)
{
	double longest = 0;

	for (size_t i = 1; i < count; i++)
		if (reading[i].time > begin && reading[i - 1].time < end)
			longest = fmax(longest, reading[i].time - reading[i - 1].time);
	return longest;
}

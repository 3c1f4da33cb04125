#include "base/event.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HOST = 64, DIGITS = 24, DECIMALS = 9 };

void event_path(const char *dir, char out[EVENT_PATH])
{
	char host[HOST] = "";

	gethostname(host, sizeof host - 1);
	snprintf(out, EVENT_PATH, "%s/events.%s.jsonl", dir, host);
}

static void add(struct event *e, const char *text)
{
	const size_t length = strlen(text);

	e->fits = e->fits && e->size + length < sizeof e->line;
	if (!e->fits)
		return;
	memcpy(e->line + e->size, text, length + 1);
	e->size += length;
}

/* Signal handlers must not call snprintf(), so this does without it. least: digits at least. */
static void add_number(struct event *e, uint64_t value, int least)
{
	char digits[DIGITS], *first = digits + sizeof digits - 1;

	*first = '\0';
	for (; value > 0 || least > 0; value /= 10, least--)
		*--first = (char)('0' + value % 10);
	add(e, first);
}

static void add_integer(struct event *e, int64_t value)
{
	if (value < 0)
		add(e, "-");
	add_number(e, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
}

static void add_key(struct event *e, const char *key)
{
	add(e, ",\"");
	add(e, key);
	add(e, "\":");
}

void event_begin_at(struct event *e, const char *name, double at)
{
	e->fits = true;
	e->size = 0;
	add(e, "{\"event\":\"");
	add(e, name);
	add(e, "\"");
	event_seconds(e, "at", at);
}

void event_begin(struct event *e, const char *name)
{
	event_begin_at(e, name, clock_now());
}

void event_integer(struct event *e, const char *key, int64_t value)
{
	add_key(e, key);
	add_integer(e, value);
}

void event_integers(struct event *e, const char *key, const int32_t *value, int count)
{
	add_key(e, key);
	add(e, "[");
	for (int i = 0; i < count; i++) {
		add(e, i > 0 ? "," : "");
		add_integer(e, value[i]);
	}
	add(e, "]");
}

void event_seconds(struct event *e, const char *key, double value)
{
	uint64_t whole = (uint64_t)value,
		 billionths = (uint64_t)(1e9 * (value - (double)whole) + 0.5);

	if (billionths == 1000000000) {
		whole++;
		billionths = 0;
	}
	add_key(e, key);
	add_number(e, whole, 1);
	add(e, ".");
	add_number(e, billionths, DECIMALS);
}

void event_word(struct event *e, const char *key, const char *word)
{
	add_key(e, key);
	add(e, "\"");
	add(e, word);
	add(e, "\"");
}

bool event_write(struct event *e, const char *path)
{
	add(e, "}\n");
	return e->fits && event_append(path, e->line, e->size);
}

bool event_append(const char *path, const char *line, size_t size)
{
	const int fd = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
	ssize_t written;

	if (fd < 0)
		return false;
	written = write(fd, line, size);
	if (close(fd) == 0 && written >= 0 && written < (ssize_t)size)
		errno = ENOSPC;
	return written == (ssize_t)size;
}

#include "harness/events/events.h"

#include "base/clock.h"
#include "base/event.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first[] = "{\"event\":"; /* each line begins so */

/* Steals the members. New reference; NULL if `members` is NULL. */
static json_t *make(const char *name, json_t *members)
{
	json_t *event = members ? json_pack("{s:s, s:f}", "event", name, "at", clock_now()) : NULL;

	if (event && json_object_update(event, members) != 0) {
		json_decref(event);
		event = NULL;
	}
	json_decref(members);
	return event;
}

static bool append(const char *dir, const json_t *event)
{
	/* in the order of insertion */
	char *text = event ? json_dumps(event, JSON_COMPACT) : NULL, *line, path[EVENT_PATH];
	const int size = text ? asprintf(&line, "%s\n", text) : -1;
	bool written = false;

	if (size > 0) {
		event_path(dir, path);
		written = event_append(path, line, (size_t)size);
		free(line);
	}
	free(text);
	return written;
}

bool events_add(const char *dir, const char *name, json_t *members)
{
	json_t *event = make(name, members);
	const bool written = append(dir, event);

	json_decref(event);
	return written;
}

void events_tell(const char *dir, const char *name, json_t *members, json_t **unwritten)
{
	json_t *event = make(name, members);

	if (!append(dir, event)) {
		fprintf(stderr, "rollbench: %s: no event can be written: %s\n", dir,
			strerror(errno));
		if (!*unwritten)
			*unwritten = json_array();
		json_array_append(*unwritten, event);
	}
	json_decref(event);
}

/* An event with its place among all that were read. */
struct placed {
	json_t *event;
	double at;
	size_t place;
};

struct reading {
	struct placed *list;
	size_t count, room;
};

static int by_time(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Steals the event. */
static void take(struct reading *r, json_t *event)
{
	if (r->count == r->room) {
		const size_t room = 2 * r->room + 16;
		struct placed *list = realloc(r->list, room * sizeof *list);

		if (!list) {
			json_decref(event);
			return;
		}
		r->list = list;
		r->room = room;
	}
	r->list[r->count] =
		(struct placed){ event, json_number_value(json_object_get(event, "at")), r->count };
	r->count++;
}

/* If a process was killed while it wrote, what the next one wrote stands behind in the same
 * line. */
static void take_line(struct reading *r, const char *line)
{
	json_t *event = NULL;

	for (; line && !event; line = strstr(line + 1, first))
		event = json_loads(line, 0, NULL);
	if (event)
		take(r, event);
}

static void read_file(struct reading *r, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		take_line(r, line);
	free(line);
	if (f)
		fclose(f);
}

static int is_of_events(const struct dirent *entry)
{
	static const char begin[] = "events.", end[] = ".jsonl";
	const size_t length = strlen(entry->d_name);

	return length >= sizeof begin + sizeof end - 2 &&
	       strncmp(entry->d_name, begin, sizeof begin - 1) == 0 &&
	       strcmp(entry->d_name + length - (sizeof end - 1), end) == 0;
}

static void read_folder(struct reading *r, const char *dir)
{
	struct dirent **entry = NULL;
	const int count = scandir(dir, &entry, is_of_events, alphasort);
	char path[EVENT_PATH];

	for (int i = 0; i < count; i++) {
		if (snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name) < (int)sizeof path)
			read_file(r, path);
		free(entry[i]);
	}
	free(entry);
}

json_t *events_read(const char *dir)
{
	struct reading r = { .list = NULL };
	json_t *events = json_array();

	read_folder(&r, dir);
	if (r.count > 0)
		qsort(r.list, r.count, sizeof *r.list, by_time);
	for (size_t i = 0; i < r.count; i++)
		json_array_append_new(events, r.list[i].event);
	free(r.list);
	return events;
}

json_t *events_read_with(const char *dir, const json_t *unwritten)
{
	json_t *events = events_read(dir), *event;
	size_t i;

	json_array_foreach(unwritten, i, event)
		json_array_append(events, event);
	return events;
}

bool event_is(const json_t *event, const char *name)
{
	const char *own = json_string_value(json_object_get(event, "event"));

	return own && strcmp(own, name) == 0;
}

json_t *events_last(const json_t *events, const char *name)
{
	json_t *event, *last = NULL;
	size_t i;

	json_array_foreach(events, i, event)
		if (event_is(event, name))
			last = event;
	return last;
}

const json_t *events_end(const json_t *events)
{
	const json_t *event, *last = NULL;
	json_int_t newest = -1;
	size_t i;

	json_array_foreach(events, i, event) {
		const json_int_t launch = json_integer_value(json_object_get(event, "launch"));

		if (!event_is(event, "ended") || launch < newest)
			continue;
		newest = launch;
		last = event;
	}
	return last;
}

json_t *event_members(const json_t *event)
{
	json_t *members = json_copy((json_t *)(uintptr_t)event);

	json_object_del(members, "event");
	json_object_del(members, "at");
	return members;
}

int events_count(const json_t *events, const char *name)
{
	const json_t *event;
	int count = 0;
	size_t i;

	json_array_foreach(events, i, event)
		count += event_is(event, name);
	return count;
}

/* The records at a path, and how many of them agree with the simulator. */
#include "base/status.h"
#include "harness/simulate/against.h"
#include "harness/store/store.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REASONS = 64, DIFFERENCES_NAMED = 20 };

/* How many records have this answer for this reason. */
struct reason {
	struct against of;
	size_t count;
};

struct tally {
	size_t records, named;
	size_t count[AGREEMENTS];
	struct reason reason[REASONS];
	size_t reasons;
};

static void enter(struct tally *t, const struct against *a, const char *name)
{
	size_t i = 0;

	t->records++;
	t->count[a->answer]++;
	if (a->answer == DIFFERS) {
		if (t->named++ < DIFFERENCES_NAMED)
			printf("%s: %s\n", name, a->why);
		return;
	}
	while (i < t->reasons && (t->reason[i].of.answer != a->answer || strcmp(t->reason[i].of.why, a->why) != 0))
		i++;
	if (i == t->reasons && i < REASONS)
		t->reason[t->reasons++] = (struct reason){ *a, 0 };
	if (i < t->reasons)
		t->reason[i].count++;
}

static int enter_text(struct tally *t, const char *text, size_t size, const char *name, struct rb_error *err)
{
	struct against a = { LEFT_OUT, "not JSON" };
	json_t *record = json_loadb(text, size, 0, NULL);
	int rc = record ? against_record(&a, record, err) : RB_OK;

	json_decref(record);
	if (rc == RB_OK)
		enter(t, &a, name);
	return rc;
}

static int enter_stored(struct tally *t, const struct store *s, const char *id, struct rb_error *err)
{
	static const struct against changed = { LEFT_OUT, "not the file that was written, according to the manifest" };
	static const struct against absent = { LEFT_OUT, "of the sweep, but not there" };
	struct store_file file;
	enum store_state state = store_read(s, id, &file);
	int rc = RB_OK;

	if (state == STORE_ABSENT || state == STORE_CHANGED)
		enter(t, state == STORE_ABSENT ? &absent : &changed, id);
	else
		rc = enter_text(t, file.text, file.size, id, err);
	store_file_free(&file);
	return rc;
}

/* The runs of a sweep. */
static int enter_sweep(struct tally *t, const char *dir, struct rb_error *err)
{
	struct store s;
	struct store_file file = { NULL, 0, "" };
	json_t *sweep = NULL;
	const json_t *id;
	size_t i;
	int rc = store_open_to_read(&s, dir, err);

	if (rc == RB_OK && store_read(&s, STORE_SWEEP, &file) != STORE_ABSENT && file.text)
		sweep = json_loadb(file.text, file.size, 0, NULL);
	if (rc == RB_OK && !json_is_array(json_object_get(sweep, "runs")))
		rc = rb_fail(err, RB_EINVAL, "%s/%s.json: not the list of a sweep", dir, STORE_SWEEP);
	json_array_foreach(json_object_get(sweep, "runs"), i, id)
		if (rc == RB_OK && json_is_string(id))
			rc = enter_stored(t, &s, json_string_value(id), err);
	json_decref(sweep);
	store_file_free(&file);
	store_close(&s);
	return rc;
}

static int enter_file(struct tally *t, const char *path, struct rb_error *err)
{
	struct against a = { LEFT_OUT, "not JSON" };
	json_t *record = json_load_file(path, 0, NULL);
	int rc = record ? against_record(&a, record, err) : RB_OK;

	json_decref(record);
	if (rc == RB_OK)
		enter(t, &a, path);
	return rc;
}

static int is_record(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && strcmp(dot, ".json") == 0 && d->d_name[0] != '.';
}

/* All files *.json, by name. */
static int enter_folder(struct tally *t, const char *dir, struct rb_error *err)
{
	struct dirent **list;
	char path[SPEC_PATH];
	int count = scandir(dir, &list, is_record, alphasort), rc = RB_OK;

	if (count < 0)
		return rb_fail(err, RB_EIO, "--against %s: cannot be read", dir);
	for (int i = 0; i < count; i++) {
		if (rc == RB_OK && snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name) < (int)sizeof path)
			rc = enter_file(t, path, err);
		free(list[i]);
	}
	free(list);
	return rc;
}

static bool has(const char *dir, const char *name)
{
	char path[SPEC_PATH];

	return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && access(path, F_OK) == 0;
}

static int enter_path(struct tally *t, const char *path, struct rb_error *err)
{
	struct stat about;

	if (stat(path, &about) != 0)
		return rb_fail(err, RB_EINVAL, "--against %s: not there", path);
	if (!S_ISDIR(about.st_mode))
		return enter_file(t, path, err);
	if (has(path, STORE_SWEEP ".json"))
		return enter_sweep(t, path, err);
	if (has(path, "runs.jsonl"))
		return rb_fail(err, RB_EINVAL, "--against %s: results of torture, which keeps no records: there are no counts in its "
			       "runs.jsonl. `rollbench torture --dry-run` prints its commands; with --json FILE behind them they "
			       "write records", path);
	return enter_folder(t, path, err);
}

static void say(const struct tally *t, const char *path)
{
	static const char *const means[] = { "agree: same deaths, fronts and checkpoints, sets of roles and counts", "agree where the roles "
					     "were: what the simulator decides there is what the run did", "left out", "differ" };

	printf("%zu records of %s\n", t->records, path);
	for (int k = 0; k < AGREEMENTS; k++) {
		printf("%8zu %s\n", t->count[k], means[k]);
		for (size_t i = 0; i < t->reasons; i++)
			if ((int)t->reason[i].of.answer == k && t->reason[i].of.why[0])
				printf("%16zu %s\n", t->reason[i].count, t->reason[i].of.why);
	}
	if (t->count[AGREES] + t->count[AGREES_THERE] == 0)
		printf("nothing was compared\n");
}

int simulate_against(const char *path, struct rb_error *err)
{
	static struct tally t;
	int rc = enter_path(&t, path, err);

	if (rc != RB_OK)
		return rc;
	say(&t, path);
	return t.count[DIFFERS] > 0 || t.count[AGREES] + t.count[AGREES_THERE] == 0;
}

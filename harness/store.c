#include "harness/store.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static void hex(XXH128_hash_t hash, char out[40])
{
	snprintf(out, 40, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

static void hash_program(char out[40])
{
	XXH3_state_t *state = XXH3_createState();
	FILE *f = fopen("/proc/self/exe", "re");
	char block[65536];
	size_t n;

	XXH3_128bits_reset(state);
	while (f && (n = fread(block, 1, sizeof block, f)) > 0)
		XXH3_128bits_update(state, block, n);
	if (f)
		fclose(f);
	hex(XXH3_128bits_digest(state), out);
	XXH3_freeState(state);
}

static void key_of(const struct store *s, const struct sweep_run *run, char out[40])
{
	json_t *spec = spec_json(&run->spec);
	char *text = json_dumps(spec, JSON_SORT_KEYS | JSON_COMPACT);
	char both[8192];

	snprintf(both, sizeof both, "%s %s", s->program, text ? text : "");
	hex(XXH3_128bits(both, strlen(both)), out);
	free(text);
	json_decref(spec);
}

static int make_folders(const char *dir)
{
	char path[SPEC_PATH];

	snprintf(path, sizeof path, "%s", dir);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

int store_open(struct store *s, const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	s->lock = -1;
	if (snprintf(s->dir, sizeof s->dir, "%s", dir) >= (int)sizeof s->dir - 256)
		return rb_fail(err, RB_EINVAL, "--results: the path is too long");
	if (make_folders(dir) != 0)
		return rb_fail(err, RB_EIO, "results folder %s: %s; choose another with --results",
			       dir, strerror(errno));
	snprintf(path, sizeof path, "%s/.lock", dir);
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0)
		return rb_fail(err, RB_EIO, "results folder %s: %s; choose another with --results",
			       dir, strerror(errno));
	if (flock(s->lock, LOCK_EX | LOCK_NB) != 0)
		return rb_fail(err, RB_EIO, "results folder %s: another sweep is writing to it",
			       dir);
	hash_program(s->program);
	return RB_OK;
}

void store_close(struct store *s)
{
	if (s->lock >= 0)
		close(s->lock);
	s->lock = -1;
}

static int path_of(const struct store *s, const char *id, char *out, size_t size,
		   struct rb_error *err)
{
	if (snprintf(out, size, "%s/%s.json", s->dir, id) >= (int)size)
		return rb_fail(err, RB_EINVAL, "--results: the path is too long");
	return RB_OK;
}

static int put(const struct store *s, const char *id, const json_t *json, struct rb_error *err)
{
	struct record_file file = { .fd = -1 };
	char path[SPEC_PATH];

	RB_TRY(path_of(s, id, path, sizeof path, err));
	RB_TRY(record_open(&file, path, err));
	return record_save(&file, json, err);
}

int store_manifest(const struct store *s, const char *name, const struct sweep_plan *plan,
		   struct rb_error *err)
{
	json_t *ids = json_array(), *manifest;
	int rc;

	for (size_t i = 0; i < plan->count; i++)
		json_array_append_new(ids, json_string(plan->run[i].id));
	manifest = json_pack("{s:s, s:s, s:o}", "schema", "rollbench-sweep-1", "name", name, "runs",
			     ids);
	sweep_plan_describe(plan, manifest);
	rc = put(s, "sweep", manifest, err);
	json_decref(manifest);
	return rc;
}

json_t *store_find(const struct store *s, const struct sweep_run *run)
{
	char path[SPEC_PATH], key[40];
	const char *found;
	struct rb_error err;
	json_t *record;

	if (path_of(s, run->id, path, sizeof path, &err) != RB_OK)
		return NULL;
	record = json_load_file(path, 0, NULL);
	key_of(s, run, key);
	found = json_string_value(json_object_get(record, "key"));
	if (found && strcmp(found, key) == 0)
		return record;
	json_decref(record);
	return NULL;
}

int store_put(const struct store *s, const struct sweep_run *run, json_t *record,
	      struct rb_error *err)
{
	char key[40];

	key_of(s, run, key);
	json_object_set_new(record, "id", json_string(run->id));
	json_object_set_new(record, "key", json_string(key));
	return put(s, run->id, record, err);
}

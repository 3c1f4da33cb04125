#include "harness/torture/journal.h"

#include "base/status.h"
#include "harness/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char run_key[] = "run", answer_key[] = "reference";

static const json_t *look_up(const json_t *table, int64_t number)
{
	char key[32];

	snprintf(key, sizeof key, "%" PRId64, number);
	return json_object_get(table, key);
}

const json_t *journal_run(const struct journal *j, int64_t i)
{
	return look_up(j->runs, i);
}

const json_t *journal_answer(const struct journal *j, int problem)
{
	return look_up(j->answers, problem);
}

/* Takes the reference. false: the line says neither which run nor which problem it is of. */
static bool remember(struct journal *j, json_t *line)
{
	const json_t *run = json_object_get(line, run_key),
		     *answer = json_object_get(line, answer_key);
	const json_t *number = run ? run : answer;
	char key[32];

	if (!json_is_integer(number)) {
		json_decref(line);
		return false;
	}
	snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
	json_object_set_new(run ? j->runs : j->answers, key, line);
	return true;
}

int journal_none(struct journal *j, struct rb_error *err)
{
	*j = (struct journal){ .fd = -1, .runs = json_object(), .answers = json_object() };
	return j->runs && j->answers ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
}

/* Name the first thing in which the terms differ. */
static int refuse_terms(const struct journal *j, const json_t *theirs, json_t *ours,
			struct rb_error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(ours, key, value) {
		json_t *other = json_object_get(theirs, key);
		char *is, *wanted;
		int rc;

		if (json_equal(other, value))
			continue;
		is = other ? json_dumps(other, JSON_ENCODE_ANY) : NULL;
		wanted = json_dumps(value, JSON_ENCODE_ANY);
		rc = rb_fail(err, RB_EINVAL,
			     "%s: its runs have %s %.60s, and this command %.60s; take the same or "
			     "another --results folder",
			     j->path, key, is ? is : "not said", wanted ? wanted : "another");
		free(is);
		free(wanted);
		return rc;
	}
	return rb_fail(
		err, RB_EINVAL,
		"%s: its first line is not one of this version; take another --results folder",
		j->path);
}

static int check_terms(const struct journal *j, json_t *theirs, json_t *terms, struct rb_error *err)
{
	int rc = json_equal(theirs, terms) ? RB_OK : refuse_terms(j, theirs, terms, err);

	json_decref(theirs);
	return rc;
}

static int read_line(struct journal *j, const char *text, size_t length, int number, json_t *terms,
		     struct rb_error *err)
{
	json_error_t why;
	json_t *line = json_loadb(text, length, 0, &why);

	if (!json_is_object(line)) {
		json_decref(line);
		return rb_fail(err, RB_EINVAL,
			       "%s:%d: not a line that torture has written; repair or remove it",
			       j->path, number);
	}
	if (number == 1)
		return check_terms(j, line, terms, err);
	return remember(j, line)
		       ? RB_OK
		       : rb_fail(err, RB_EINVAL,
				 "%s:%d: a line without \"%s\" or \"%s\"; repair or remove it",
				 j->path, number, run_key, answer_key);
}

/* Read all lines, and cut off what a crash has left of the last one. The file's position is then
 * its end. */
static int read_all(struct journal *j, json_t *terms, int *lines, struct rb_error *err)
{
	FILE *f = fopen(j->path, "re");
	char *text = NULL;
	size_t room = 0;
	off_t whole = 0;
	ssize_t n = 0;
	int rc = f ? RB_OK : rb_fail(err, RB_EIO, "%s: %s", j->path, strerror(errno));

	*lines = 0;
	while (rc == RB_OK && (n = getline(&text, &room, f)) > 0 && text[n - 1] == '\n') {
		rc = read_line(j, text, (size_t)n, ++*lines, terms, err);
		whole += n;
	}
	if (rc == RB_OK && n < 0 && !feof(f)) /* nothing may be cut off that could not be read */
		rc = rb_fail(err, RB_EIO, "%s: %s", j->path, strerror(errno));
	free(text);
	if (f)
		fclose(f);
	if (rc == RB_OK && (ftruncate(j->fd, whole) != 0 || lseek(j->fd, whole, SEEK_SET) < 0))
		rc = rb_fail(err, RB_EIO, "%s: %s", j->path, strerror(errno));
	return rc;
}

/* One call, so that a line is there as a whole unless the machine crashes. */
static int write_line(struct journal *j, const json_t *line, struct rb_error *err)
{
	char *text = json_dumps(line, JSON_COMPACT), *both = NULL;
	int size = text ? asprintf(&both, "%s\n", text) : -1;
	int rc = size < 0 ? rb_fail(err, RB_ENOMEM, "out of memory") : RB_OK;

	if (rc == RB_OK && (write(j->fd, both, (size_t)size) != size || fdatasync(j->fd) != 0))
		rc = rb_fail(err, RB_EIO, "%s: %s", j->path, strerror(errno));
	if (size >= 0)
		free(both);
	free(text);
	return rc;
}

int journal_open(struct journal *j, const char *dir, json_t *terms, struct rb_error *err)
{
	int lines;

	RB_TRY(journal_none(j, err));
	if (snprintf(j->path, sizeof j->path, "%s/runs.jsonl", dir) >= (int)sizeof j->path)
		return rb_fail(err, RB_EINVAL, "--results: the path is too long");
	if (store_make_folders(dir) != 0)
		return rb_fail(err, RB_EIO, "--results %s: %s", dir, strerror(errno));
	j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (j->fd < 0)
		return rb_fail(err, RB_EIO, "--results: %s: %s", j->path, strerror(errno));
	if (flock(j->fd, LOCK_EX | LOCK_NB) != 0)
		return rb_fail(err, RB_EIO, "--results: %s: another torture is writing to it",
			       j->path);
	RB_TRY(read_all(j, terms, &lines, err));
	return lines > 0 ? RB_OK : write_line(j, terms, err);
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	json_decref(j->runs);
	json_decref(j->answers);
}

int journal_add(struct journal *j, json_t *line, struct rb_error *err)
{
	int rc = line ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

	if (rc == RB_OK && j->fd >= 0)
		rc = write_line(j, line, err);
	if (rc == RB_OK)
		remember(j, line);
	else
		json_decref(line);
	return rc;
}

#include "harness/job/queues.h"

#include "harness/job/member.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A segment begins with its process's queue: its first and its last element. An element begins with
 * the next one. Each of these is the number of a process on this host in the upper half, and an
 * offset in that process's segment in the lower. */
enum { FREE = -2, HEAD = 0, TAIL = 8, ELEMENTS_MAX = 100000 };

/* The segments of a job, as one of its processes has mapped them. */
struct memory {
	int file; /* of that process; -1: none */
	int ranks;
	uint64_t *begin; /* by rank; 0: not mapped */
};

/* "7f00-7f10 rw-s 0000 00:18 9 /dev/shm/DIR/sm_segment.HOST.USER.JOB.RANK (deleted)"; a segment can
 * be several such parts. */
static void note_segment(struct memory *m, char *line)
{
	char *name = strstr(line, "/sm_segment."), *end = name ? strchr(name, ' ') : NULL, *number;
	uint64_t begin;
	int rank;

	if (end)
		*end = '\0';
	number = name ? strrchr(name, '.') : NULL;
	rank = number ? atoi(number + 1) : -1;
	if (rank >= 0 && rank < m->ranks && m->begin[rank] == 0 &&
	    sscanf(line, "%" SCNx64, &begin) == 1)
		m->begin[rank] = begin;
}

static void map_out(struct memory *m, pid_t pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	m->file = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0)
		note_segment(m, line);
	free(line);
	if (f)
		fclose(f);
}

static bool read_word(const struct memory *m, int64_t rank, int64_t at, int64_t *word)
{
	return rank >= 0 && rank < m->ranks && m->begin[rank] &&
	       pread(m->file, word, sizeof *word, (off_t)m->begin[rank] + at) == sizeof *word;
}

/* 1: the last element cannot be reached from the first; 0: it can; -1: that cannot be read. */
static int is_broken(const struct memory *m, int rank)
{
	int64_t at, tail, last = FREE;

	if (!read_word(m, rank, HEAD, &at) || !read_word(m, rank, TAIL, &tail))
		return -1;
	for (int i = 0; at != FREE; i++) {
		last = at;
		if (i == ELEMENTS_MAX || !read_word(m, last >> 32, last & UINT32_MAX, &at))
			return -1;
	}
	return last != tail;
}

/* The living ranks with a broken queue; NULL: one cannot be read, or out of memory. */
static json_t *look(struct memory *m, const pid_t *pid)
{
	json_t *list = m->file < 0 ? NULL : json_array();

	for (int r = 0; r < m->ranks && list; r++) {
		int found = pid[r] ? is_broken(m, r) : 0;

		if (found > 0)
			json_array_append_new(list, json_integer(r));
		if (found < 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

json_t *queues_broken(const char *dir, int ranks)
{
	struct memory m = { -1, ranks, calloc((size_t)ranks, sizeof *m.begin) };
	pid_t *pid = calloc((size_t)ranks, sizeof *pid);
	json_t *list = NULL;

	if (m.begin && pid && member_ranks(dir, pid, ranks) > 0) {
		for (int r = 0; r < ranks && m.file < 0; r++)
			if (pid[r])
				map_out(&m, pid[r]);
		list = look(&m, pid);
	}
	if (m.file >= 0)
		close(m.file);
	free(m.begin);
	free(pid);
	return list ? list : json_null();
}

void queues_say(const char *dir, int ranks, char out[QUEUES_TEXT])
{
	json_t *list = queues_broken(dir, ranks), *rank;
	size_t i, used;

	out[0] = '\0';
	if (json_array_size(list) > 0) {
		used = (size_t)snprintf(out, QUEUES_TEXT, "; broken queues of shared memory: rank");
		json_array_foreach(list, i, rank)
			if (used < QUEUES_TEXT / 2)
				used += (size_t)snprintf(out + used, QUEUES_TEXT - used,
							 "%s %" JSON_INTEGER_FORMAT, i ? "," : "",
							 json_integer_value(rank));
		snprintf(out + used, QUEUES_TEXT - used, " (docs/ulfm-notes.md)");
	}
	json_decref(list);
}

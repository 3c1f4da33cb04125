/* Queues of shared memory as Open MPI lays them out, in processes that look like ranks of a job:
 * which are broken? */
#include "harness/job/queues.h"
#include "tests/folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 3, SEGMENT = 8192, FREE = -2 };

static int64_t *segment[RANKS];
static pid_t child[RANKS];

static int64_t *map_segment(const char *folder, int rank)
{
	char path[128];
	void *memory;
	int fd;

	snprintf(path, sizeof path, "%s/sm_segment.host.0.7f.%d", folder, rank);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	memory = fd >= 0 && ftruncate(fd, SEGMENT) == 0
			 ? mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			 : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

/* In a child: a rank of the job that has mapped all segments. */
static int worker(const char *folder)
{
	for (int r = 0; r < RANKS; r++)
		if (!map_segment(folder, r))
			return 1;
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

static void start(int rank)
{
	char number[16], word[8];
	int ends[2];

	snprintf(number, sizeof number, "%d", rank);
	assert_int_equal(pipe(ends), 0);
	child[rank] = fork();
	if (child[rank] == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		setenv("PMIX_RANK", number, 1);
		execl("/proc/self/exe", "unit_queues", "worker", dir, "0", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], word, 6), 6);
	close(ends[0]);
}

static void end(int rank)
{
	kill(child[rank], SIGKILL);
	waitpid(child[rank], NULL, 0);
	child[rank] = 0;
}

static int begin(void **state)
{
	if (make_dir(state) != 0)
		return -1;
	for (int r = 0; r < RANKS; r++) {
		segment[r] = map_segment(dir, r);
		segment[r][0] = segment[r][1] = FREE;
		start(r);
	}
	return 0;
}

static int finish(void **state)
{
	for (int r = 0; r < RANKS; r++) {
		if (child[r])
			end(r);
		munmap(segment[r], SEGMENT);
	}
	return remove_dir(state);
}

/* An element in a rank's segment, with its link. */
static int64_t element(int rank, int64_t at, int64_t next)
{
	segment[rank][at / 8] = next;
	return (int64_t)rank << 32 | at;
}

static void expect(const char *ranks)
{
	json_t *list = queues_broken(dir, RANKS);
	char *text = json_dumps(list, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, ranks);
	free(text);
	json_decref(list);
}

static void whole_queues(void **state)
{
	(void)state;
	expect("[]");
	segment[0][0] = element(1, 256, element(2, 4096, segment[0][1] = element(1, 512, FREE)));
	segment[2][0] = segment[2][1] = element(2, 128, FREE);
	expect("[]");
}

static void a_first_message_that_was_not_linked(void **state)
{
	char text[QUEUES_TEXT];

	(void)state;
	segment[1][1] = element(2, 256, FREE);
	expect("[1]");
	queues_say(dir, RANKS, text);
	assert_string_equal(text, "; broken queues of shared memory: rank 1 (docs/ulfm-notes.md)");
	segment[1][1] = FREE;
	queues_say(dir, RANKS, text);
	assert_string_equal(text, "");
}

static void a_later_message_that_was_not_linked(void **state)
{
	(void)state;
	segment[0][0] = element(1, 256, FREE);
	segment[0][1] = element(2, 256, FREE);
	segment[2][1] = element(1, 512, FREE);
	expect("[0,2]");
	end(2); /* nobody reads that queue any more, and others still have its memory */
	expect("[0]");
}

static void what_cannot_be_read(void **state)
{
	(void)state;
	segment[0][0] = segment[0][1] = (int64_t)RANKS << 32 | 256;
	expect("null");
	segment[0][0] = element(1, 256, (int64_t)1 << 32 | 256); /* a circle */
	expect("null");
	for (int r = 0; r < RANKS; r++)
		end(r);
	expect("null");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole_queues, begin, finish),
		cmocka_unit_test_setup_teardown(a_first_message_that_was_not_linked, begin, finish),
		cmocka_unit_test_setup_teardown(a_later_message_that_was_not_linked, begin, finish),
		cmocka_unit_test_setup_teardown(what_cannot_be_read, begin, finish),
	};

	/* never the tests where a rank was meant: each would start ranks again */
	if (argc > 1)
		return argc == 4 ? worker(argv[2]) : 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Event-logging checkpoints: files that a thread writes beside the computation. */
#include "base/clock.h"
#include "elc/files/beside.h"
#include "tests/folder.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct elc_owner who = { "program", "events", 7, 2, 1 };
static const struct elc_owner other = { "program", "events", 8, 2, 1 };

static struct elc_piece copied(struct elc_beside *b, const char *state, size_t bytes)
{
	char *copy = elc_beside_room(b, bytes);

	assert_non_null(copy);
	memcpy(copy, state, bytes);
	return (struct elc_piece){ copy, bytes };
}

static void must_have(const struct elc_owner *owner, uint32_t crc, char expected, size_t bytes)
{
	char why[ELC_TEXT];
	size_t n;
	char *data = elc_file_read(dir, owner, ELC_FILE_STATE, crc, &n, why);

	assert_non_null(data);
	assert_int_equal(n, bytes);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(data[i], expected);
	free(data);
}

static void must_be_missing(const struct elc_owner *owner)
{
	char path[ELC_PATH];

	elc_file_path(path, dir, owner, ELC_FILE_STATE);
	assert_int_not_equal(access(path, F_OK), 0);
}

/* The memory is kept from file to file. */
static void a_change_after_the_copy_is_not_in_the_file(void **state)
{
	enum { BYTES = 1 << 20 };
	struct elc_beside b = { .held = true };
	struct elc_beside_result result;
	char *own = malloc(BYTES);
	const void *room;

	(void)state;
	assert_non_null(own);
	memset(own, 'a', BYTES);
	assert_int_equal(elc_beside_start(&b, dir, &who, ELC_FILE_STATE, copied(&b, own, BYTES)),
			 0);
	memset(own, 'b', BYTES);
	assert_false(elc_beside_done(&b));
	must_be_missing(&who);
	elc_beside_end(&b, &result);
	assert_int_equal(result.rc, 0);
	must_have(&who, result.crc, 'a', BYTES);
	room = b.room;
	b.held = false;
	assert_int_equal(
		elc_beside_start(&b, dir, &other, ELC_FILE_STATE, copied(&b, own, BYTES / 2)), 0);
	assert_ptr_equal(b.room, room);
	while (!elc_beside_done(&b))
		usleep(100);
	must_have(&other, b.crc, 'b', BYTES / 2); /* done: it is there before elc_beside_end() */
	elc_beside_end(&b, &result);
	assert_false(b.running);
	elc_beside_free(&b);
	free(own);
}

static void no_memory(void **state)
{
	struct elc_beside b = { .held = false };

	(void)state;
	assert_null(elc_beside_room(&b, PTRDIFF_MAX));
	assert_non_null(elc_beside_room(&b, 10));
	assert_null(elc_beside_room(&b, PTRDIFF_MAX));
	assert_int_equal(b.bytes, 0);
	elc_beside_free(&b);
}

static void what_fails_is_said_at_the_end(void **state)
{
	struct elc_beside b = { .held = false };
	struct elc_beside_result result;

	(void)state;
	assert_int_equal(
		elc_beside_start(&b, "/proc/none", &who, ELC_FILE_STATE, copied(&b, "abc", 3)), 0);
	elc_beside_end(&b, &result);
	assert_int_equal(result.rc, -1);
	assert_non_null(strstr(result.why, "/proc/none/line-7: cannot be written"));
	elc_beside_free(&b);
}

static volatile sig_atomic_t signals;
static pthread_t expected;

static void note(int signal)
{
	(void)signal;
	signals += pthread_equal(pthread_self(), expected) ? 1 : 1000;
}

/* A signal for the process goes to any thread that does not block it. Here the program's own one
 * does. */
static void signals_are_the_programs(void **state)
{
	struct elc_beside b = { .held = true };
	struct elc_beside_result result;
	sigset_t usr1, before;

	(void)state;
	expected = pthread_self();
	assert_true(signal(SIGUSR1, note) != SIG_ERR);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	assert_int_equal(elc_beside_start(&b, dir, &who, ELC_FILE_STATE, copied(&b, "abc", 3)), 0);
	pthread_sigmask(SIG_BLOCK, &usr1, &before);
	assert_false(sigismember(&before, SIGUSR1)); /* the mask of the program is as it was */
	kill(getpid(), SIGUSR1);
	elc_beside_end(&b, &result);
	assert_int_equal(result.rc, 0);
	assert_int_equal(signals, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(signals, 1);
	elc_beside_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_after_the_copy_is_not_in_the_file),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(what_fails_is_said_at_the_end),
		cmocka_unit_test(signals_are_the_programs),
	};

	return cmocka_run_group_tests_name("elc_beside", tests, make_dir, remove_dir);
}

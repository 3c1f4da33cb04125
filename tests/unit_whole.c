/* All bytes come through, also in pieces and with signals in between; an end or an error is
 * told. */
#include "base/end_with_parent.h"
#include "base/whole.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 1 << 20 }; /* a pipe holds less */

static volatile sig_atomic_t signals;

static void count(int signal)
{
	(void)signal;
	signals++;
}

/* A signal every so many microseconds, which interrupts calls; 0: no more. */
static void interrupt_every(int microseconds)
{
	const struct sigaction action = { .sa_handler = count };
	const struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };

	signals = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static char *numbered(void)
{
	char *data = malloc(BYTES);

	assert_non_null(data);
	for (size_t i = 0; i < BYTES; i++)
		data[i] = (char)(i * 2654435761u >> 13);
	return data;
}

/* Both sides have to wait for the other: the pipe is full for 50 ms, then empty for 50 ms. */
static _Noreturn void play_reader(int from, int to, pid_t parent)
{
	char *data = malloc(BYTES);

	end_with_parent(parent);
	usleep(50000);
	if (!data || !read_whole(from, data, BYTES))
		_exit(1);
	usleep(50000);
	_exit(write_whole(to, data, BYTES) ? 0 : 1);
}

static void all_comes_through_in_spite_of_signals(void **state)
{
	char *data = numbered(), *back = malloc(BYTES);
	const pid_t parent = getpid();
	int there[2], here[2], status;
	pid_t child;

	(void)state;
	assert_non_null(back);
	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(here), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		play_reader(there[0], here[1], parent);
	interrupt_every(1000);
	assert_true(write_whole(there[1], data, BYTES));
	assert_true(signals > 5);
	signals = 0;
	assert_true(read_whole(here[0], back, BYTES));
	assert_true(signals > 5);
	interrupt_every(0);
	assert_memory_equal(back, data, BYTES);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(here[i]);
	}
	free(data);
	free(back);
}

static void an_early_end_has_no_errno(void **state)
{
	char data[8] = "", back[8] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(write_whole(ends[1], "abcde", 5));
	close(ends[1]);
	errno = EIO;
	assert_false(read_whole(ends[0], back, sizeof back));
	assert_int_equal(errno, 0);
	assert_memory_equal(back, "abcde", 5);
	assert_true(read_whole(ends[0], data, 0));
	close(ends[0]);
}

static void an_error_is_told(void **state)
{
	char data[8] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_false(write_whole(ends[0], data, sizeof data));
	assert_int_equal(errno, EBADF);
	assert_false(read_whole(ends[1], data, sizeof data));
	assert_int_equal(errno, EBADF);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_false(write_whole(ends[1], data, sizeof data));
	assert_int_equal(errno, EPIPE);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_comes_through_in_spite_of_signals),
		cmocka_unit_test(an_early_end_has_no_errno),
		cmocka_unit_test(an_error_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Wake-ups: they end the sleep of the role that they are sent to and of no other; the name of a
 * killed process can be used again. */
#include "base/clock.h"
#include "ft/recovery/wakeup.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHORT_NS = 1000000, LONG_NS = 900000000, EPOCH = 3 };

static char dir[64], elsewhere[64];

static void open_two(struct wakeup *a, struct wakeup *b)
{
	wakeup_open(a, dir, 0);
	wakeup_open(b, dir, 1);
	assert_true(a->fd >= 0 && b->fd >= 0);
}

static void close_two(struct wakeup *a, struct wakeup *b)
{
	wakeup_close(a);
	wakeup_close(b);
	assert_int_equal(a->fd, -1);
}

static void woken_by_another_process(void **state)
{
	struct wakeup a, b;
	double begin = clock_monotonic();
	pid_t sender;

	(void)state;
	open_two(&a, &b);
	sender = fork();
	if (sender == 0) {
		usleep(20000);
		wakeup_send(&b, 0, EPOCH);
		_exit(0);
	}
	assert_true(wakeup_wait(&a, LONG_NS, EPOCH));
	assert_true(clock_monotonic() - begin < 0.5);
	assert_int_equal(waitpid(sender, NULL, 0), sender);
	assert_false(wakeup_wait(&a, SHORT_NS, EPOCH)); /* received once */
	close_two(&a, &b);
}

/* A wake-up may come before the role waits. */
static void a_wakeup_is_kept(void **state)
{
	struct wakeup a, b;

	(void)state;
	open_two(&a, &b);
	wakeup_send(&b, 0, EPOCH);
	assert_true(wakeup_wait(&a, LONG_NS, EPOCH));
	close_two(&a, &b);
}

static void silence_is_slept_through(void **state)
{
	struct wakeup a, b;
	double begin = clock_monotonic(), cpu = clock_thread();

	(void)state;
	open_two(&a, &b);
	assert_false(wakeup_wait(&a, 50000000, EPOCH));
	assert_true(clock_monotonic() - begin >= 0.05);
	assert_true(clock_thread() - cpu < 0.01);
	close_two(&a, &b);
}

static void an_old_epoch_says_nothing(void **state)
{
	struct wakeup a, b;

	(void)state;
	open_two(&a, &b);
	wakeup_send(&b, 0, EPOCH - 1);
	assert_false(wakeup_wait(&a, LONG_NS, EPOCH));
	wakeup_send(&b, 0, EPOCH - 1);
	wakeup_send(&b, 0, EPOCH);
	assert_true(wakeup_wait(&a, LONG_NS, EPOCH));
	close_two(&a, &b);
}

static void a_thousand_wakeups_never_wait(void **state)
{
	struct wakeup a, b;

	(void)state;
	open_two(&a, &b);
	for (int i = 0; i < 1000; i++)
		wakeup_send(&b, 0, EPOCH);
	assert_true(wakeup_wait(&a, LONG_NS, EPOCH));
	assert_false(wakeup_wait(&a, SHORT_NS, EPOCH)); /* the queue is empty again */
	close_two(&a, &b);
}

static void who_hears_whom(void **state)
{
	struct wakeup a, b, other;

	(void)state;
	open_two(&a, &b);
	wakeup_open(&other, elsewhere, 1);
	assert_true(wakeup_reaches(&a, 1) && wakeup_reaches(&b, 0));
	assert_false(wakeup_reaches(&a, 2));
	wakeup_send(&other, 0, EPOCH); /* another job's role 0 */
	wakeup_send(&a, 2, EPOCH);     /* nobody */
	assert_false(wakeup_wait(&a, SHORT_NS, EPOCH));
	wakeup_close(&b);
	assert_false(wakeup_reaches(&a, 1));
	wakeup_close(&other);
	wakeup_close(&a);
}

static void without_a_socket_it_only_sleeps(void **state)
{
	struct wakeup a, b, second;
	double begin;

	(void)state;
	open_two(&a, &b);
	wakeup_open(&second, dir, 0);
	assert_int_equal(second.fd, -1);
	assert_false(wakeup_reaches(&second, 1));
	wakeup_send(&second, 1, EPOCH);
	assert_false(wakeup_wait(&b, SHORT_NS, EPOCH));
	begin = clock_monotonic();
	assert_false(wakeup_wait(&second, 20000000, EPOCH));
	assert_true(clock_monotonic() - begin >= 0.02);
	close_two(&a, &b);
}

static void death_frees_the_name(void **state)
{
	struct wakeup a, b;
	int ready[2];
	char byte;
	pid_t owner;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	owner = fork();
	if (owner == 0) {
		wakeup_open(&a, dir, 0);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	wakeup_open(&b, dir, 1);
	assert_true(wakeup_reaches(&b, 0));
	kill(owner, SIGKILL);
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	assert_false(wakeup_reaches(&b, 0));
	wakeup_open(&a, dir, 0);
	assert_true(a.fd >= 0 && wakeup_reaches(&b, 0));
	close_two(&a, &b);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(woken_by_another_process),
		cmocka_unit_test(a_wakeup_is_kept),
		cmocka_unit_test(silence_is_slept_through),
		cmocka_unit_test(an_old_epoch_says_nothing),
		cmocka_unit_test(a_thousand_wakeups_never_wait),
		cmocka_unit_test(who_hears_whom),
		cmocka_unit_test(without_a_socket_it_only_sleeps),
		cmocka_unit_test(death_frees_the_name),
	};

	snprintf(dir, sizeof dir, "/nowhere/%d/a", (int)getpid());
	snprintf(elsewhere, sizeof elsewhere, "/nowhere/%d/b", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}

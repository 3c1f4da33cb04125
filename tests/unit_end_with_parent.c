/* A process that is not to outlive the one that began it, for a death before and after it asks for that. */
#include "base/end_with_parent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

/* The parent dies before its child calls, or after. The child waits for that at `turn`, a pipe whose other end
 * the parent holds; if it ends by itself, with 1, it has outlived the parent. */
static void begin_family(bool before, const int turn[2])
{
	const pid_t parent = getpid();
	char byte;

	if (fork() == 0) {
		close(turn[1]);
		if (!before)
			end_with_parent(parent);
		while (read(turn[0], &byte, 1) > 0) /* until the parent is dead */
			;
		if (before)
			end_with_parent(parent);
		else
			sleep(10); /* the signal is sent before the pipe is seen to end, or soon after */
		_exit(1);
	}
	usleep(50000);
	raise(SIGKILL);
}

static void ends(bool before)
{
	int turn[2], status;
	pid_t parent, child;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(turn), 0);
	parent = fork();
	if (parent == 0)
		begin_family(before, turn);
	close(turn[0]);
	close(turn[1]);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	child = wait(&status);
	assert_true(child > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void the_parent_dies_later(void **state)
{
	(void)state;
	ends(false);
}

static void the_parent_is_dead_already(void **state)
{
	(void)state;
	ends(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parent_dies_later),
		cmocka_unit_test(the_parent_is_dead_already),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

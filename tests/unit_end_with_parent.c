/* A process must not outlive its parent, for a death of the parent before and after the request. */
#include "base/end_with_parent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

/* The parent dies before its child calls or, told through a pipe, after that. A child that exits
 * with 1 has outlived it. */
static void begin_family(bool before)
{
	const pid_t parent = getpid();
	int word[2];
	char byte = 0;

	if (pipe(word) != 0)
		_exit(2);
	if (fork() == 0) {
		while (before && getppid() == parent)
			usleep(1000);
		end_with_parent(parent);
		if (write(word[1], &byte, 1) == 1)
			sleep(10);
		_exit(1);
	}
	if (!before && read(word[0], &byte, 1) != 1)
		_exit(2);
	raise(SIGKILL);
}

static void ends(bool before)
{
	int status;
	pid_t parent, child;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	parent = fork();
	if (parent == 0)
		begin_family(before);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_true(WIFSIGNALED(status));
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

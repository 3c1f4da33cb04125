/* Where a line can be written over, progress is one line. */
#include "base/streams.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void a_dumb_terminal_is_none(void **state)
{
	const int terminal = posix_openpt(O_RDWR | O_NOCTTY), file = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(terminal >= 0 && file >= 0);
	setenv("TERM", "xterm", 1);
	assert_true(streams_terminal(terminal));
	assert_false(streams_terminal(file));
	setenv("TERM", "dumb", 1);
	assert_false(streams_terminal(terminal));
	setenv("TERM", "", 1);
	assert_false(streams_terminal(terminal));
	unsetenv("TERM");
	assert_false(streams_terminal(terminal));
	close(terminal);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dumb_terminal_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

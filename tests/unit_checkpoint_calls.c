/* A process may die, and a system call may fail, at every single system call of a checkpoint: the
 * older generation must stay whole, and the new one be whole or not there. The writer runs under
 * ptrace. */
#include "base/status.h"
#include "ft/line/checkpoint.h"
#include "tests/folder.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LENGTH = 50000, CALLS_MAX = 200, ENDED = -1, REFUSED = -2 };

static double vector[LENGTH];
static const struct kernel_region region = { "vector", vector, sizeof vector };
static struct image image;
static struct rb_error err;

static struct image_id at(int64_t iter)
{
	return (struct image_id){
		.kernel = "cg", .params = "class=S", .np = 4, .role = 2, .iter = iter
	};
}

static void fill(int64_t iter)
{
	for (int i = 0; i < LENGTH; i++)
		vector[i] = (double)iter + i / 3.0;
}

static int save(int64_t iter)
{
	struct image_id id = at(iter);

	fill(iter);
	assert_int_equal(image_take(&image, &id, &region, 1), RB_OK);
	return checkpoint_write(dir, id.role, iter, &image, NULL, NULL, &err);
}

/* true: whole and right; else reading fails with an error. */
static bool readable(int64_t iter)
{
	struct image_id id = at(iter);
	int rc;

	memset(vector, 0, sizeof vector);
	rc = checkpoint_read(dir, &id, &image, &err);
	if (rc == RB_OK)
		rc = image_load(&image, &region, 1, "image", &err);
	if (rc != RB_OK) {
		assert_int_equal(rc, RB_EIO); /* absent, not damaged */
		return false;
	}
	for (int i = 0; i < LENGTH; i++)
		assert_true(vector[i] == (double)iter + i / 3.0);
	return true;
}

/* A child that writes checkpoint 50 once its parent says so. */
static pid_t start_writer(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(save(50) == RB_OK ? 0 : 1);
	}
	waitpid(child, &status, 0);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	return child;
}

/* Go on to the next entry into or return from a system call. false: the child has ended. */
static bool next_stop(pid_t child, int *status)
{
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	waitpid(child, status, 0);
	return WIFSTOPPED(*status);
}

static void death_at_every_call(void **state)
{
	int calls = 0;

	(void)state;
	assert_int_equal(save(25), RB_OK);
	for (bool ended = false; !ended; calls++) {
		pid_t child = start_writer();
		int status;

		checkpoint_remove(dir, 2, 50);
		for (int stop = 0; stop <= calls && !ended; stop++)
			ended = !next_stop(child, &status);
		if (!ended) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
		}
		assert_true(readable(25));
		readable(50);
		assert_true(calls < CALLS_MAX);
	}
	assert_true(calls > 15); /* it did go through the calls one by one */
	assert_true(readable(50));
}

#ifdef __x86_64__

/* The fault of the nth system call that can fail. */
enum fault { NO_SPACE, IO_ERROR, SHORT_WRITE, FAULTS };

static bool can_fail(enum fault fault, long call)
{
	if (fault == SHORT_WRITE)
		return call == SYS_write;
	return call == SYS_openat || call == SYS_write || call == SYS_fsync || call == SYS_rename ||
	       call == SYS_renameat || call == SYS_renameat2 || call == SYS_close;
}

/* The exit status of a writer whose nth call fails; ENDED: it has fewer calls. */
static int write_with(enum fault fault, int nth)
{
	pid_t child = start_writer();
	struct user_regs_struct regs;
	int status, seen = 0;
	bool entering = true, spoilt = false, pending = false;

	while (next_stop(child, &status)) {
		ptrace(PTRACE_GETREGS, child, NULL, &regs);
		if (entering && can_fail(fault, (long)regs.orig_rax) && seen++ == nth) {
			spoilt = true;
			pending = fault != SHORT_WRITE;
			if (fault == SHORT_WRITE)
				regs.rdx = regs.rdx / 2 + 1;
			else
				regs.orig_rax = (unsigned long long)-1; /* no call at all */
			ptrace(PTRACE_SETREGS, child, NULL, &regs);
		} else if (!entering && pending) {
			regs.rax = (unsigned long long)(fault == NO_SPACE ? -ENOSPC : -EIO);
			ptrace(PTRACE_SETREGS, child, NULL, &regs);
			pending = false;
		}
		entering = !entering;
	}
	assert_true(WIFEXITED(status));
	return spoilt ? WEXITSTATUS(status) : ENDED;
}

static bool leftovers(void)
{
	char command[128];

	snprintf(command, sizeof command, "test -z \"$(ls %s | grep tmp)\"", dir);
	return system(command) != 0;
}

static void every_call_that_fails_is_an_error_or_made_good(void **state)
{
	(void)state;
	assert_int_equal(save(25), RB_OK);
	for (int fault = 0; fault < FAULTS; fault++) {
		int nth = 0, reported = 0, result;

		for (;; nth++) {
			checkpoint_remove(dir, 2, 50);
			result = write_with((enum fault)fault, nth);
			if (result == ENDED)
				break;
			assert_true(readable(25));
			/* The fault is reported or harmless: a short write is continued, and
			 * closing the folder after its fsync may fail. */
			assert_true(readable(50) || result == 1);
			if (fault == SHORT_WRITE)
				assert_int_equal(result, 0);
			reported += result == 1;
		}
		assert_true(fault == SHORT_WRITE || reported >= nth - 1);
		assert_true(nth >= 2);
		assert_false(leftovers() && fault == SHORT_WRITE);
	}
}

#else

static void every_call_that_fails_is_an_error_or_made_good(void **state)
{
	(void)state;
	print_message("not x86-64: system calls cannot be spoilt by this test\n");
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(death_at_every_call),
		cmocka_unit_test(every_call_that_fails_is_an_error_or_made_good),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

/* How the launcher watches the roles: ledgers that come late, of an earlier job, and thousands of
 * them. */
#include "base/status.h"
#include "ft/ledger.h"
#include "harness/job/role_watch.h"
#include "tests/folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MANY = 4096 };

#define SET(role, member, value)                                                          \
	set(role, &(struct ledger){ .member = (value) }, offsetof(struct ledger, member), \
	    sizeof((struct ledger *)0)->member)

static int open_ledger(int role)
{
	char path[96];
	int fd;

	snprintf(path, sizeof path, "%s/role.%d.ledger", dir, role);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

/* Write one member: the files stay sparse. */
static void set(int role, const struct ledger *from, size_t at, size_t size)
{
	int fd = open_ledger(role);

	assert_int_equal(pwrite(fd, (const char *)from + at, size, (off_t)at), size);
	close(fd);
}

static void resize(int role, size_t size)
{
	int fd = open_ledger(role);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
}

static void make(int role)
{
	resize(role, sizeof(struct ledger));
	SET(role, version, LEDGER_VERSION);
	SET(role, role, role);
	SET(role, finished_at, -1);
	SET(role, phase, LEDGER_STEP);
	SET(role, magic, LEDGER_MAGIC);
}

static void expect(struct role_watch *w, int there, int finished, bool gave_up, bool spares)
{
	struct progress p = role_watch_look(w, 0);

	assert_int_equal(p.there, there);
	assert_int_equal(p.finished, finished);
	assert_int_equal(p.gave_up, gave_up);
	assert_int_equal(p.spares, spares);
}

static void a_ledger_counts_when_it_is_complete(void **state)
{
	struct role_watch *w = role_watch_new(dir, 3, *(bool *)*state);

	expect(w, 0, 0, false, true);
	/* its space is still being allocated; reading behind its end would be a SIGBUS */
	resize(1, 100);
	expect(w, 0, 0, false, true);
	resize(1, sizeof(struct ledger));
	expect(w, 0, 0, false, true);
	SET(1, version, LEDGER_VERSION);
	SET(1, role, 1);
	SET(1, finished_at, -1);
	expect(w, 0, 0, false, true);
	SET(1, magic, LEDGER_MAGIC);
	expect(w, 1, 0, false, true);
	make(0);
	SET(0, role, 2); /* another role's */
	SET(0, finished_at, 7);
	expect(w, 1, 0, false, true);
	make(2);
	SET(2, finished_at, 7);
	expect(w, 2, 1, false, true);
	expect(w, 2, 1, false, true);
	make(0);
	SET(0, finished_at, 7);
	SET(1, finished_at, 7);
	expect(w, 3, 3, false, true);
	SET(2, finished_at, -1); /* a late repair: it goes back */
	expect(w, 3, 2, false, true);
	role_watch_free(w);
}

static void who_gave_up_in_an_earlier_job_begins_again(void **state)
{
	struct role_watch *w;

	for (int r = 0; r < 3; r++)
		make(r);
	SET(0, finished_at, 9); /* had written its result when the earlier job ended */
	SET(1, status, RB_ESPARES);
	SET(1, phase, LEDGER_FAILED);
	w = role_watch_new(dir, 3, *(bool *)*state);
	expect(w, 3, 1, true, true);
	SET(2, status, RB_EIO);
	SET(2, phase, LEDGER_FAILED);
	expect(w, 3, 1, true, false);
	SET(1, phase, LEDGER_SETUP);
	SET(2, phase, LEDGER_SETUP);
	expect(w, 3, 1, false, true);
	SET(1, finished_at, 9);
	SET(2, phase, LEDGER_FAILED);
	expect(w, 3, 2, true, false);
	role_watch_free(w);
}

static void expect_repair(struct role_watch *w, double now, int begun, double repair_s)
{
	struct progress p = role_watch_look(w, now);

	assert_int_equal(p.begun, begun);
	assert_float_equal(p.repair_s, repair_s, 1e-9);
}

static void a_repair_lasts_until_it_has_closed(void **state)
{
	struct role_watch *w = role_watch_new(dir, 2, *(bool *)*state);

	expect_repair(w, 0, 0, 0);
	make(0);
	SET(0, incarnations, 1);
	expect_repair(w, 1, 1, 0);
	SET(0, recovering, 1);
	expect_repair(w, 2, 1, 0);
	expect_repair(w, 5, 1, 3);
	SET(0, last_epoch, 1); /* it closed, and the next one began between two looks */
	expect_repair(w, 6, 1, 0);
	make(1);
	SET(1, incarnations, 3);
	SET(1, recovering, 1);
	expect_repair(w, 8, 2, 2);
	SET(0, recovering, 0);
	expect_repair(w, 9, 2, 1);
	role_watch_free(w);
	w = role_watch_new(dir, 2, *(bool *)*state); /* what an earlier job left does not count */
	expect_repair(w, 10, 0, 0);
	expect_repair(w, 100, 0, 0);
	SET(1, incarnations, 4);
	expect_repair(w, 101, 1, 0);
	expect_repair(w, 103, 1, 2);
	role_watch_free(w);
}

static int64_t pid_of_the_dead(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return child;
}

/* For instance all roles are dead, and the spares wait for ever: no ledger says that a repair is
 * under way. */
static void a_role_without_a_process_waits_for_a_repair(void **state)
{
	const bool remote = *(bool *)*state; /* there the number says nothing */
	struct role_watch *w = role_watch_new(dir, 2, remote);

	make(0);
	make(1);
	SET(0, incarnations, 1);
	SET(1, incarnations, 1);
	SET(0, pid, getpid());
	SET(1, pid, pid_of_the_dead());
	expect_repair(w, 1, 2, 0);
	expect_repair(w, 4, 2, remote ? 0 : 3);
	SET(1, finished_at, 9); /* its process had nothing left to do */
	expect_repair(w, 5, 2, 0);
	SET(1, finished_at, -1);
	expect_repair(w, 6, 2, 0);
	expect_repair(w, 8, 2, remote ? 0 : 2);
	SET(1, pid, getpid()); /* a spare takes the role */
	expect_repair(w, 9, 2, 0);
	role_watch_free(w);
}

static void a_look_counts_4096_roles(void **state)
{
	struct role_watch *w;

	(void)state;
	for (int r = 0; r < MANY; r++)
		make(r);
	w = role_watch_new(dir, MANY, false);
	expect(w, MANY, 0, false, true); /* maps them */
	for (int r = 0; r < MANY; r += 2)
		SET(r, finished_at, 5);
	expect(w, MANY, MANY / 2, false, true);
	SET(MANY - 1, phase, LEDGER_FAILED);
	expect(w, MANY, MANY / 2, true, false);
	role_watch_free(w);
}

int main(void)
{
	static bool here = false, elsewhere = true;
#define TEST(function, where) { #function, function, make_dir, remove_dir, where }
	const struct CMUnitTest tests[] = {
		TEST(a_ledger_counts_when_it_is_complete, &here),
		TEST(a_ledger_counts_when_it_is_complete, &elsewhere),
		TEST(who_gave_up_in_an_earlier_job_begins_again, &here),
		TEST(who_gave_up_in_an_earlier_job_begins_again, &elsewhere),
		TEST(a_repair_lasts_until_it_has_closed, &here),
		TEST(a_repair_lasts_until_it_has_closed, &elsewhere),
		TEST(a_role_without_a_process_waits_for_a_repair, &here),
		TEST(a_role_without_a_process_waits_for_a_repair, &elsewhere),
		TEST(a_look_counts_4096_roles, NULL),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

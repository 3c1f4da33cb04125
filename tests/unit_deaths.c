/* Members learn of each other's deaths, each of every death once, and of nothing else. Processes
 * that really die; no MPI. */
#include "base/deaths.h"
#include "base/end_with_parent.h"
#include "tests/folder.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 40, PATIENCE_MS = 30000 };

/* "`who` was told that `dead` died"; dead -1: it has joined, -2: it has left. */
struct report {
	int who, dead;
};

enum { JOINED = -1, LEFT = -2 };

struct table {
	char path[96];
	int reports[2]; /* from all members */
	int count;
	pid_t pid[MOST];
	int order[MOST];                   /* where each is told what to do */
	bool dead[MOST], told[MOST][MOST]; /* who, of whom */
};

static void say(int fd, int who, int dead)
{
	const struct report r = { who, dead };

	if (write(fd, &r, sizeof r) != sizeof r)
		_exit(3);
}

struct self {
	int who, out;
};

static void tell(void *ctx, const void *card)
{
	const struct self *self = ctx;

	say(self->out, self->who, *(const int *)card);
}

static void be_member(const struct table *t, int who, int orders)
{
	struct self self = { who, t->reports[1] };
	struct rb_error err;
	struct deaths *d =
		deaths_join(t->path, MOST, &self.who, sizeof self.who, tell, &self, &err);
	char order;

	if (!d) {
		fprintf(stderr, "%s\n", err.text);
		_exit(2);
	}
	say(self.out, who, JOINED);
	if (read(orders, &order, 1) == 1 && order == 'l') {
		deaths_leave(d);
		say(self.out, who, LEFT);
	}
	_exit(0);
}

/* Let one more join, without waiting for it. */
static void add(struct table *t)
{
	const pid_t parent = getpid();
	int orders[2], who = t->count++;

	assert_true(who < MOST);
	assert_int_equal(pipe(orders), 0);
	t->pid[who] = fork();
	assert_true(t->pid[who] >= 0);
	if (t->pid[who] == 0) {
		end_with_parent(parent);
		close(orders[1]);
		for (int i = 0; i < who; i++)
			close(t->order[i]);
		be_member(t, who, orders[0]);
	}
	close(orders[0]);
	t->order[who] = orders[1];
}

/* false: there is no more to come. */
static bool take(struct table *t, struct report *r)
{
	struct pollfd coming = { .fd = t->reports[0], .events = POLLIN };

	if (poll(&coming, 1, PATIENCE_MS) != 1)
		fail_msg("nobody says anything more");
	if (read(t->reports[0], r, sizeof *r) != sizeof *r)
		return false;
	if (r->dead >= 0) {
		assert_true(t->dead[r->dead]);
		assert_false(t->told[r->who][r->dead]);
		t->told[r->who][r->dead] = true;
	}
	return true;
}

static void await(struct table *t, int count, int dead)
{
	struct report r;

	for (int i = 0; i < count; i++) {
		assert_true(take(t, &r));
		assert_int_equal(r.dead, dead);
	}
}

static void add_all(struct table *t, int count)
{
	for (int i = 0; i < count; i++)
		add(t);
	await(t, count, JOINED);
}

static void give(const struct table *t, int who, char order)
{
	assert_int_equal(write(t->order[who], &order, 1), 1);
}

static void leave(struct table *t, int who)
{
	give(t, who, 'l');
	await(t, 1, LEFT);
}

static void kill_member(struct table *t, int who)
{
	t->dead[who] = true;
	kill(t->pid[who], SIGKILL);
}

static void open_table(struct table *t)
{
	*t = (struct table){ .count = 0 };
	snprintf(t->path, sizeof t->path, "%s/members", dir);
	assert_int_equal(pipe(t->reports), 0);
}

/* All that are left leave, and nobody says anything else any more. */
static void close_table(struct table *t)
{
	struct report r;

	close(t->reports[1]);
	for (int i = 0; i < t->count; i++) {
		if (!t->dead[i])
			(void)!write(t->order[i], "l", 1);
		close(t->order[i]);
	}
	while (take(t, &r))
		;
	while (wait(NULL) > 0)
		;
	close(t->reports[0]);
	assert_int_equal(unlink(t->path), 0);
}

static void all_are_told_of_each_death_once(void **state)
{
	struct table t;

	(void)state;
	open_table(&t);
	add_all(&t, 6);
	for (int i = 0; i < 3; i++) {
		const int dead[] = { 2, 5, 0 };

		kill_member(&t, dead[i]);
		await(&t, 5 - i, dead[i]);
	}
	close_table(&t);
}

/* Who would have noticed the first two deaths cannot. */
static void neighbours_die_together(void **state)
{
	struct table t;
	struct report r;

	(void)state;
	open_table(&t);
	add_all(&t, 5);
	for (int i = 0; i < 3; i++) {
		kill(t.pid[i], SIGSTOP);
		assert_int_equal(waitpid(t.pid[i], NULL, WUNTRACED), t.pid[i]);
	}
	for (int i = 2; i >= 0; i--)
		kill_member(&t, i);
	for (int i = 0; i < 6; i++)
		assert_true(take(&t, &r) && r.who >= 3 && r.dead >= 0);
	close_table(&t);
}

static void to_leave_is_no_death(void **state)
{
	struct table t;

	(void)state;
	open_table(&t);
	add_all(&t, 5);
	leave(&t, 3);
	kill(t.pid[3], SIGKILL);
	leave(&t, 1);
	kill_member(&t, 2);
	await(&t, 2, 2);
	close_table(&t);
}

static void to_end_without_leaving_is_one(void **state)
{
	struct table t;

	(void)state;
	open_table(&t);
	add_all(&t, 3);
	t.dead[1] = true;
	give(&t, 1, 'e');
	await(&t, 2, 1);
	close_table(&t);
}

static void who_joins_later_belongs_to_it(void **state)
{
	struct table t;

	(void)state;
	open_table(&t);
	add_all(&t, 3);
	kill_member(&t, 1);
	await(&t, 2, 1);
	add(&t);
	await(&t, 1, JOINED);
	kill_member(&t, 3);
	await(&t, 2, 3);
	add(&t);
	await(&t, 1, JOINED);
	kill_member(&t, 0);
	await(&t, 2, 0); /* also member 4, which knows of no other */
	close_table(&t);
}

/* Of twelve that join at the same time, some leave and some die while others do. */
static void no_order_matters(void **state)
{
	enum { ROUNDS = 100, MEMBERS = 12 };

	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		const int stays = round % MEMBERS;
		bool leaves[MEMBERS];
		int deaths = 0;
		struct table t;
		struct report r;

		open_table(&t);
		add_all(&t, MEMBERS);
		for (int i = 0; i < MEMBERS; i++) {
			t.dead[i] = i != stays && rand() % 2;
			leaves[i] = i != stays && !t.dead[i] && rand() % 3 == 0;
			deaths += t.dead[i];
		}
		for (int i = 0; i < MEMBERS; i++) {
			if (leaves[i])
				give(&t, i, 'l');
			if (t.dead[i])
				kill_member(&t, i);
		}
		while (deaths > 0) { /* others may leave or die before they are told of all */
			assert_true(take(&t, &r));
			deaths -= r.who == stays;
		}
		close_table(&t);
	}
}

static void what_cannot_be_is_said(void **state)
{
	const int card = 0;
	struct rb_error err = { "" };
	struct deaths *one;

	(void)state;
	assert_null(
		deaths_join("/no/such/folder/members", 2, &card, sizeof card, tell, NULL, &err));
	assert_non_null(strstr(err.text, "/no/such/folder/members: No such file"));
	write_file("small", "");
	assert_int_equal(chdir(dir), 0);
	one = deaths_join("small", 1, &card, sizeof card, tell, NULL, &err);
	assert_non_null(one);
	assert_null(deaths_join("small", 1, &card, sizeof card, tell, NULL, &err));
	assert_non_null(strstr(err.text, "small: No space"));
	deaths_leave(one);
	deaths_leave(NULL);
}

static bool works(void)
{
	const int card = 0;
	struct rb_error err;
	struct deaths *d;
	char path[96];

	if (make_dir(NULL) != 0)
		return false;
	snprintf(path, sizeof path, "%s/members", dir);
	d = deaths_join(path, 1, &card, sizeof card, tell, NULL, &err);
	if (!d)
		printf("%s\n", err.text);
	deaths_leave(d);
	return remove_dir(NULL) == 0 && d;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_told_of_each_death_once),
		cmocka_unit_test(neighbours_die_together),
		cmocka_unit_test(to_leave_is_no_death),
		cmocka_unit_test(to_end_without_leaving_is_one),
		cmocka_unit_test(who_joins_later_belongs_to_it),
		cmocka_unit_test(no_order_matters),
		cmocka_unit_test(what_cannot_be_is_said),
	};

	if (!works())
		return 77;
	signal(SIGPIPE, SIG_IGN); /* an order for one that is dead */
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

/* Constants outlive their process: the next one of the role uses what the dead one has computed,
 * and nothing else. Processes that really die; no MPI. */
#include "base/end_with_parent.h"
#include "ft/line/constants.h"
#include "tests/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NP = 4, NUMBERS = 100000 };

/* A kernel whose constants are two arrays; a state counts how many of them it has computed. */
struct kernel_state {
	double *numbers;
	char *odd; /* 3 bytes, so that what follows is not aligned by itself */
	int computed, role;
};

static size_t constants(const struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	out[0] = (struct kernel_region){ "odd", s->odd, 3 };
	out[1] = (struct kernel_region){ "numbers", s->numbers, NUMBERS * sizeof *s->numbers };
	return 2;
}

static bool refuses_given; /* create() has no memory where it is given constants */

static double number(int role, int i)
{
	return 1000000.0 * role + i;
}

static int create(struct kernel_state **out, const struct kernel_args *args, int role, int np,
		  const struct kernel_region *given, struct rb_error *err)
{
	struct kernel_state *s;

	(void)args, (void)np;
	if (given && refuses_given)
		return rb_fail(err, RB_ENOMEM, "none left");
	s = *out = calloc(1, sizeof *s);
	s->role = role;
	if (given) {
		s->odd = given[0].data;
		s->numbers = given[1].data;
		return RB_OK;
	}
	s->computed = 2;
	s->odd = strdup("ab");
	s->numbers = malloc(NUMBERS * sizeof *s->numbers);
	for (int i = 0; i < NUMBERS; i++)
		s->numbers[i] = number(role, i);
	return RB_OK;
}

static void destroy(struct kernel_state *s)
{
	if (s && s->computed) {
		free(s->numbers);
		free(s->odd);
	}
	free(s);
}

static const struct kernel_ops kernel = {
	.name = "fixed", .create = create, .destroy = destroy, .constants = constants
};
static int nodes[NP]; /* where each role began */

static struct ft_config config(void)
{
	struct ft_config cfg = { .kernel = &kernel, .params = "n=1", .np = NP, .dir = dir };

	cfg.policy.node = nodes;
	return cfg;
}

/* A process: a role, or a spare that may become one. */
struct process {
	struct ft_config cfg;
	struct constants constants;
	struct ledger *ledger;
	struct kernel_state *state;
};

static void begin(struct process *p, const struct ft_config *cfg)
{
	memset(p, 0, sizeof *p);
	p->cfg = *cfg;
	assert_int_equal(constants_init(&p->constants, &p->cfg), RB_OK);
}

/* Where the role's constants are from; -1: there are none, or they are wrong. It does not assert,
 * so that a child can call it. */
static int take(struct process *p, int role)
{
	enum ledger_constants from;
	struct rb_error err;

	p->ledger = ledger_open(dir, role, &err);
	if (!p->ledger ||
	    constants_create(&p->constants, p->ledger, &p->state, &from, &err) != RB_OK)
		return -1;
	if (memcmp(p->state->odd, "ab", 3) != 0 ||
	    (uintptr_t)p->state->numbers % sizeof(double) != 0)
		return -1;
	for (int i = 0; i < NUMBERS; i++)
		if (p->state->numbers[i] != number(role, i))
			return -1;
	return (int)from;
}

static void end(struct process *p)
{
	destroy(p->state);
	constants_free(&p->constants);
	ledger_close(p->ledger);
}

/* Another process that plays the role and holds what it is to hold; where its constants are from.
 */
static pid_t start_role(const struct ft_config *cfg, int role, int expected)
{
	const pid_t parent = getpid();
	int ready[2], from = -1;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct process p;

		end_with_parent(parent);
		memset(&p, 0, sizeof p);
		p.cfg = *cfg;
		if (constants_init(&p.constants, &p.cfg) == RB_OK)
			from = take(&p, role);
		if (from >= 0)
			constants_hold(&p.constants, p.ledger);
		if (write(ready[1], &from, sizeof from) == sizeof from)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &from, sizeof from), sizeof from);
	close(ready[0]);
	assert_int_equal(from, expected);
	return pid;
}

static void kill_process(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int fresh(void **state)
{
	memset(nodes, 0, sizeof nodes);
	return make_dir(state);
}

static int open_descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(list))
		count++;
	closedir(list);
	return count;
}

static void a_spare_of_the_node_has_them_open(void **state)
{
	const struct ft_config cfg = config();
	struct process spare;
	pid_t role;

	(void)state;
	begin(&spare, &cfg);
	constants_hold(&spare.constants, NULL); /* there is no role yet */
	role = start_role(&cfg, 0, CONSTANTS_COMPUTED);
	constants_hold(&spare.constants, NULL);
	kill_process(role);
	assert_int_equal(take(&spare, 0), CONSTANTS_KEPT);
	assert_int_equal(spare.state->computed, 0);
	end(&spare);
}

/* As a process does that was started for the role. */
static void another_role_has_them_open(void **state)
{
	const struct ft_config cfg = config();
	struct process next;
	pid_t dead, holder;

	(void)state;
	dead = start_role(&cfg, 3, CONSTANTS_COMPUTED);
	holder = start_role(&cfg, 2,
			    CONSTANTS_COMPUTED); /* of role 3, and, were it there, of role 0 */
	kill_process(dead);
	begin(&next, &cfg);
	assert_int_equal(take(&next, 3), CONSTANTS_KEPT);
	end(&next);
	kill_process(holder);
}

/* The first replacement dies, too: the holder still has what the first process has computed. */
static void they_outlive_several_processes(void **state)
{
	const struct ft_config cfg = config();
	struct process next;
	pid_t dead, holder;

	(void)state;
	dead = start_role(&cfg, 1, CONSTANTS_COMPUTED);
	holder = start_role(&cfg, 0, CONSTANTS_COMPUTED);
	for (int i = 0; i < 3; i++) {
		kill_process(dead);
		dead = start_role(&cfg, 1, CONSTANTS_KEPT);
	}
	kill_process(holder);
	holder = start_role(&cfg, 0, CONSTANTS_COMPUTED); /* it holds those of role 1 again */
	kill_process(dead);
	begin(&next, &cfg);
	assert_int_equal(take(&next, 1), CONSTANTS_KEPT);
	end(&next);
	kill_process(holder);
}

static void without_a_holder_they_are_computed(void **state)
{
	const struct ft_config cfg = config();
	struct process next;

	(void)state;
	kill_process(start_role(&cfg, 1, CONSTANTS_COMPUTED));
	begin(&next, &cfg);
	assert_int_equal(take(&next, 1), CONSTANTS_COMPUTED);
	end(&next);
}

/* The memory of a node is lost with it, also where nodes are only numbers on one host. */
static void those_of_another_node_are_not_used(void **state)
{
	struct ft_config cfg = config(), there = config();
	struct process next;
	pid_t dead, holder;

	(void)state;
	nodes[0] = nodes[1] = there.here = 1;
	dead = start_role(&there, 1, CONSTANTS_COMPUTED);
	holder = start_role(&there, 0, CONSTANTS_COMPUTED);
	kill_process(dead);
	begin(&next, &cfg);
	constants_hold(&next.constants, NULL);
	assert_int_equal(take(&next, 1), CONSTANTS_COMPUTED);
	end(&next);
	begin(&next, &there);
	assert_int_equal(take(&next, 1), CONSTANTS_KEPT); /* the check above can fail */
	end(&next);
	kill_process(holder);
}

/* Of other arguments, and where a descriptor is another's by now. */
static void wrong_ones_are_refused(void **state)
{
	struct ft_config cfg = config(), other = config();
	struct process holder, next;
	pid_t dead;
	int fd;

	(void)state;
	dead = start_role(&cfg, 1, CONSTANTS_COMPUTED);
	begin(&holder, &cfg);
	take(&holder, 0);
	constants_hold(&holder.constants, holder.ledger);
	kill_process(dead);
	other.params = "n=2";
	begin(&next, &other);
	assert_int_equal(take(&next, 1), CONSTANTS_COMPUTED);
	end(&next);
	/* by now the descriptor is that of another sealed memory, and then of no memory at all */
	assert_true(dup2(holder.ledger->holds[0].fd, holder.ledger->holds[1].fd) >= 0);
	begin(&next, &cfg);
	assert_int_equal(take(&next, 1), CONSTANTS_COMPUTED);
	end(&next);
	fd = open("/dev/null", O_RDWR);
	assert_true(dup2(fd, holder.ledger->holds[1].fd) >= 0);
	close(fd);
	begin(&next, &cfg);
	assert_int_equal(take(&next, 1), CONSTANTS_COMPUTED);
	end(&next);
	end(&holder);
}

/* Role 0 goes on at another node, where it computes: what was open here is given up, and what is
 * open there is not used. */
static void those_of_a_role_that_moved_are_given_up(void **state)
{
	const struct ft_config cfg = config();
	struct ft_config there = config();
	struct process spare;
	int before;
	pid_t dead;

	(void)state;
	there.here = 1;
	begin(&spare, &cfg);
	before = open_descriptors();
	dead = start_role(&cfg, 0, CONSTANTS_COMPUTED);
	kill_process(start_role(&cfg, 1, CONSTANTS_COMPUTED));
	constants_hold(&spare.constants, NULL);
	kill_process(dead);
	assert_int_equal(open_descriptors(), before + 1); /* that of role 0 */
	dead = start_role(&there, 0, CONSTANTS_COMPUTED);
	constants_hold(&spare.constants, NULL);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(take(&spare, 0), CONSTANTS_COMPUTED);
	kill_process(dead);
	end(&spare);
}

/* A spare that becomes a role holds two of the others. */
static void a_role_holds_those_of_the_next_two(void **state)
{
	const struct ft_config cfg = config();
	struct process spare;
	pid_t role[NP];
	int before;

	(void)state;
	for (int r = 0; r < NP; r++)
		role[r] = start_role(&cfg, r, CONSTANTS_COMPUTED);
	before = open_descriptors();
	begin(&spare, &cfg);
	constants_hold(&spare.constants, NULL);
	assert_int_equal(open_descriptors(), before + NP);
	kill_process(role[2]);
	assert_int_equal(take(&spare, 2), CONSTANTS_KEPT);
	constants_hold(&spare.constants, spare.ledger);
	assert_int_equal(open_descriptors(), before + 3);
	assert_int_equal(spare.ledger->holds[1].role, 3);
	assert_int_equal(spare.ledger->holds[2].role, 0);
	end(&spare);
	for (int r = 0; r < NP; r++)
		if (r != 2)
			kill_process(role[r]);
}

/* Where they cannot be kept, a role computes them and goes on. */
static void without_room_they_are_not_kept(void **state)
{
	const struct ft_config cfg = config();
	struct rlimit most, less;
	struct process p;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &most), 0);
	less = (struct rlimit){ 64 << 10, most.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	begin(&p, &cfg);
	assert_int_equal(take(&p, 0), CONSTANTS_COMPUTED);
	assert_int_equal(p.state->computed, 2);
	assert_int_equal(p.ledger->holds[0].pid, 0);
	end(&p);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
	refuses_given = true;
	begin(&p, &cfg);
	assert_int_equal(take(&p, 0), CONSTANTS_COMPUTED);
	assert_int_equal(p.state->computed, 2);
	assert_int_equal(p.ledger->holds[0].pid, 0);
	end(&p);
	refuses_given = false;
}

static void keeps_nothing(const struct ft_config *cfg)
{
	struct process holder, next;

	begin(&holder, cfg);
	assert_int_equal(take(&holder, 0), CONSTANTS_COMPUTED);
	assert_int_equal(holder.ledger->holds[0].pid, 0);
	begin(&next, cfg);
	constants_hold(&next.constants, NULL);
	assert_int_equal(take(&next, 0), CONSTANTS_COMPUTED);
	end(&next);
	end(&holder);
}

/* Where it is asked for, and where no process can take over from another. */
static void a_run_that_computes_keeps_nothing(void **state)
{
	struct ft_config asked = config(), restart = config(), off = config();

	(void)state;
	asked.constants = FT_COMPUTE;
	keeps_nothing(&asked);
	restart.strategy = FT_RESTART;
	keeps_nothing(&restart);
	off.policy.ops = &policy_off;
	keeps_nothing(&off);
}

static void nobody_can_change_sealed_memory(void **state)
{
	const int before = open_descriptors();
	struct sealed one, other;
	char path[64];
	size_t bytes;
	char *data;

	(void)state;
	assert_int_equal(sealed_begin(&one, 5000), 0);
	assert_int_equal(sealed_open(&other, getpid(), one.fd, one.inode), -1); /* not yet */
	assert_int_equal(sealed_write(&one, 4990, "0123456789", 10), 0);
	assert_int_equal(sealed_end(&one), 0);
	assert_int_equal(sealed_open(&other, getpid(), one.fd, one.inode + 1), -1);
	assert_int_equal(sealed_open(&other, getpid(), one.fd, one.inode), 0);
	sealed_close(&one);
	data = sealed_map(&other, &bytes);
	assert_int_equal(bytes, 5000);
	assert_memory_equal(data + 4989,
			    "\0"
			    "0123456789",
			    11);
	assert_int_equal(mprotect(data, bytes, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(write(other.fd, "x", 1), -1);
	snprintf(path, sizeof path, "/proc/self/fd/%d", other.fd);
	one.fd = open(path, O_RDWR);
	assert_true(one.fd >= 0);
	assert_int_equal(write(one.fd, "x", 1), -1);
	assert_int_equal(ftruncate(one.fd, 0), -1);
	assert_ptr_equal(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, one.fd, 0),
			 MAP_FAILED);
	sealed_close(&one);
	sealed_close(&other);
	assert_memory_equal(data + 4990, "0123456789", 10);
	munmap(data, bytes);
	assert_int_equal(open_descriptors(), before);
}

static void nothing_stays_open(void **state)
{
	const struct ft_config cfg = config();
	const int before = open_descriptors();
	struct process p, spare;

	(void)state;
	begin(&p, &cfg);
	take(&p, 0);
	constants_hold(&p.constants, p.ledger);
	begin(&spare, &cfg);
	constants_hold(&spare.constants, NULL);
	assert_int_equal(open_descriptors(), before + 2);
	end(&spare);
	end(&p);
	assert_int_equal(open_descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_spare_of_the_node_has_them_open, fresh,
						remove_dir),
		cmocka_unit_test_setup_teardown(another_role_has_them_open, fresh, remove_dir),
		cmocka_unit_test_setup_teardown(they_outlive_several_processes, fresh, remove_dir),
		cmocka_unit_test_setup_teardown(without_a_holder_they_are_computed, fresh,
						remove_dir),
		cmocka_unit_test_setup_teardown(those_of_another_node_are_not_used, fresh,
						remove_dir),
		cmocka_unit_test_setup_teardown(wrong_ones_are_refused, fresh, remove_dir),
		cmocka_unit_test_setup_teardown(those_of_a_role_that_moved_are_given_up, fresh,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_role_holds_those_of_the_next_two, fresh,
						remove_dir),
		cmocka_unit_test_setup_teardown(without_room_they_are_not_kept, fresh, remove_dir),
		cmocka_unit_test_setup_teardown(a_run_that_computes_keeps_nothing, fresh,
						remove_dir),
		cmocka_unit_test_setup_teardown(nobody_can_change_sealed_memory, fresh, remove_dir),
		cmocka_unit_test_setup_teardown(nothing_stays_open, fresh, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Is what SimGrid's actors do the same as what the oracle computes? In random cases, or
 * in one stencil of any size without failures, with the seconds that both take. */
#include "base/clock.h"
#include "forecast/simgrid/engine.h"
#include "tests/oracle/ref.h"
#include "tests/time_cases.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASE_SECONDS = 60 };

/* Work takes a tick longer in SimGrid. For a test of this program. */
static bool longer;
/* Roles share cores and links. */
static bool shared;
/* exit status of a child: as it should be, and later than if nothing were shared */
enum { DELAYED = 3 };

/* What all cases have shown together. */
struct tally {
	long cases, failures, repairs, overlaps, repeated, supported, delayed;
};

static void tell_case(const struct time_case *c)
{
	const struct costs *k = &c->m.costs;

	printf("case: %s\n", c->text);
	printf("  %d roles on a host with %d cores, network %s\n", platform_roles(&c->m.platform),
	       platform_cores(&c->m.platform), c->m.platform.network.text);
	for (size_t i = 0; i < c->failures; i++)
		printf("  failure of role %d at tick %lld, or %s of iteration %lld\n",
		       c->failure[i].role, (long long)c->failure[i].at,
		       c->failure[i].at < 0 ? failure_point_name(c->failure[i].at) : "-",
		       (long long)c->failure[i].iter);
	printf("  latency %g s, %g bytes/s, log %g bytes/s, checkpoint %g s, detect %g s, repair "
	       "%g s, restore %g s, replay speed %g\n",
	       k->latency_s, k->bytes_per_s, k->log_bytes_per_s, k->checkpoint_s, k->detect_s,
	       k->repair_s, k->restore_s, k->replay_speed);
}

static bool same_number(const char *name, int64_t ref, int64_t simgrid)
{
	if (ref != simgrid)
		printf("  %s: ref %lld, simgrid %lld\n", name, (long long)ref, (long long)simgrid);
	return ref == simgrid;
}

static bool same_amount(const char *state, const char *unit, double ref, double simgrid)
{
	const bool same = fabs(ref - simgrid) <= 1e-9 * fabs(ref);

	if (!same)
		printf("  %s: ref %.17g %s, simgrid %.17g %s\n", state, ref, unit, simgrid, unit);
	return same;
}

static bool same(const struct result *a, const struct result *b)
{
	bool ok = same_number("roles", a->np, b->np);

	for (int r = 0; r < a->np && ok; r++)
		if (a->end[r] != b->end[r]) {
			printf("  role %d ends: ref %.12g s (tick %lld), simgrid %.12g s (tick "
			       "%lld)\n",
			       r, seconds_of(a->end[r]), (long long)a->end[r],
			       seconds_of(b->end[r]), (long long)b->end[r]);
			ok = false;
		}
	ok &= same_number("makespan", a->makespan, b->makespan);
	ok &= same_number("failures", a->failures, b->failures);
	ok &= same_number("repairs", a->repairs, b->repairs);
	ok &= same_number("overlaps", a->overlaps, b->overlaps);
	ok &= same_number("useful", a->useful, b->useful);
	ok &= same_number("repeated", a->repeated, b->repeated);
	ok &= same_number("supported", a->supported, b->supported);
	ok &= same_number("stopped", a->stopped, b->stopped);
	for (enum energy_state s = 0; s < STATES; s++) {
		ok &= same_amount(energy_state_name(s), "s", a->state_s[s], b->state_s[s]);
		ok &= same_amount(energy_state_name(s), "J", a->energy_j[s], b->energy_j[s]);
	}
	return ok && same_number("hash", (int64_t)a->hash, (int64_t)b->hash);
}

/* SimGrid's account of the hosts' energy against the sums over the roles. They differ by capped
 * waits in iterations that were broken off, which the sums have as waits. The sums count whole
 * ticks where an actor ends in the middle of one. */
static bool same_hosts(const struct model *m, const struct result *r)
{
	double sum = 0, most = 0, allowed;

	for (int s = 0; s < STATES; s++) {
		sum += r->energy_j[s];
		most = m->watts[s] > most ? m->watts[s] : most;
	}
	sum += simgrid_capped_broken_off_s() * (m->watts[STATE_CAPPED] - m->watts[STATE_WAIT]);
	allowed = 1e-9 * sum +
		  most * 4 * r->np * (double)(r->failures + r->repairs) / TICKS_PER_SECOND;
	if (fabs(r->host_energy_j - sum) <= allowed)
		return true;
	printf("  energy of hosts: SimGrid %.17g J, of roles %.17g J\n", r->host_energy_j, sum);
	return false;
}

/* A network with a place for each of the hosts. */
static void draw_network(struct network *n, uint64_t draw, int hosts)
{
	char text[NETWORK_TEXT];
	struct rb_error err;
	int part = 1;

	for (int i = 2; i <= 4; i++)
		if (hosts % i == 0)
			part = i;
	if (draw % 3 == 0 || hosts == 1)
		snprintf(text, sizeof text, "star");
	else if (draw % 3 == 1 && part > 1 && hosts > part)
		snprintf(text, sizeof text, "torus:%dx%d", part, hosts / part);
	else if (draw % 3 == 1)
		snprintf(text, sizeof text, "torus:%d", hosts);
	else
		snprintf(text, sizeof text, "fattree:%dx%d/1x%d/1x%d", part, hosts / part,
			 1 + (int)(draw / 3 % 3), 1 + (int)(draw / 16 % 2));
	if (network_parse(n, text, &err) != RB_OK)
		abort();
}

/* A platform on which nothing is shared: each host has as many cores as roles. Half of the cases
 * have one role on each, and a quarter have a network on which messages take the latency only,
 * since their bytes occupy no link. */
static void draw_platform(struct time_case *c, uint64_t seed)
{
	const uint64_t draw = mix(seed);
	struct platform *p = &c->m.platform;
	const int roles = draw % 2 ? 1 : 1 + (int)(draw / 2 % 5);

	*p = (struct platform){ .roles_per_host = roles,
				.cores_per_host =
					draw / 16 % 2 ? roles + (int)(draw / 32 % 3) : 0 };
	if (draw / 128 % 4 == 0) {
		draw_network(&p->network, draw / 512, platform_hosts(p, c->m.pattern->np));
		c->m.costs.bytes_per_s = 1e18;
	}
}

/* Fewer cores than roles, or a network whose links messages share, or both. Every second case has
 * no failures. */
static void draw_shared(struct time_case *c, uint64_t seed)
{
	const uint64_t draw = mix(seed);
	struct platform *p = &c->m.platform;
	const int roles = 1 + (int)(draw % 6);

	*p = (struct platform){ .roles_per_host = roles,
				.cores_per_host = 1 + (int)(draw / 8 % (uint64_t)roles) };
	if (roles == 1 || draw / 64 % 2) {
		draw_network(&p->network, draw / 512, platform_hosts(p, c->m.pattern->np));
		p->network.hop_s = draw / 128 % 4 == 0 ? 1e-4 : 0;
	}
	if (seed % 2)
		c->failures = 0;
}

/* What holds without failures where roles share: no role ends earlier than if nothing is shared,
 * and hosts work as much. So their energy is known, however long the work takes. */
static bool only_delayed(const struct model *m, const struct result *ref, const struct result *r)
{
	const double idle = m->watts[STATE_WAIT] * r->np * seconds_of(r->makespan);
	const double sum = idle + (m->watts[STATE_COMPUTE] - m->watts[STATE_WAIT]) *
					  ref->state_s[STATE_COMPUTE];
	bool ok = same_number("useful", ref->useful, r->useful) &&
		  same_number("repeated", 0, r->repeated);

	for (int i = 0; i < r->np && ok; i++)
		if (r->end[i] < ref->end[i]) {
			printf("  role %d ends: ref tick %lld, simgrid earlier: %lld\n", i,
			       (long long)ref->end[i], (long long)r->end[i]);
			ok = false;
		}
	if (fabs(r->host_energy_j - sum) <= 1e-9 * sum)
		return ok;
	printf("  energy of hosts: SimGrid %.17g J, by the work %.17g J\n", r->host_energy_j, sum);
	return false;
}

static bool compare_results(const struct time_case *c, const struct model *m,
			    const struct result *ref, const struct result *r)
{
	if (!shared)
		return same(ref, r) && same_hosts(m, r);
	return c->failures > 0 ? same_number("useful", ref->useful, r->useful)
			       : only_delayed(m, ref, r);
}

/* In a process of its own, since SimGrid has one platform a process. */
static int compare(const struct time_case *c, const struct result *ref)
{
	struct rb_error err = { "" };
	struct model m = c->m;
	struct result r;
	bool ok, late;

	for (int i = 0; i < m.work.knots && longer; i++)
		m.work.seconds[i] += 1 / TICKS_PER_SECOND;
	alarm(CASE_SECONDS);
	if (simulate_simgrid(&m, c->failure, c->failures, &r, &err) != RB_OK) {
		printf("  simgrid: %s\n", err.text);
		return EXIT_FAILURE;
	}
	ok = compare_results(c, &m, ref, &r);
	late = r.makespan > ref->makespan;
	result_free(&r);
	return !ok ? EXIT_FAILURE : late ? DELAYED : EXIT_SUCCESS;
}

static bool agrees(const struct time_case *c, const struct result *ref, long *delayed)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		int code = compare(c, ref);

		fflush(stdout);
		_exit(code);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	if (WIFSIGNALED(status))
		printf("  simgrid: ended by signal %d\n", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == DELAYED)
		++*delayed;
	return WIFEXITED(status) && WEXITSTATUS(status) != EXIT_FAILURE;
}

static bool check(const struct time_case *c, struct tally *t)
{
	struct rb_error err;
	struct result ref;
	bool ok;

	if (simulate_ref(&c->m, c->failure, c->failures, &ref, &err) != RB_OK) {
		tell_case(c);
		printf("  ref: %s\n", err.text);
		return false;
	}
	ok = agrees(c, &ref, &t->delayed);
	if (!ok)
		tell_case(c);
	t->cases++;
	t->failures += (long)ref.failures;
	t->repairs += (long)ref.repairs;
	t->overlaps += (long)ref.overlaps;
	t->repeated += (long)ref.repeated;
	t->supported += (long)ref.supported;
	result_free(&ref);
	return ok;
}

/* One of five has a random pattern with several waits in an iteration. */
static bool make_case(struct time_case *c, uint64_t seed)
{
	return seed % 5 == 0 ? case_make_drawn(c, seed, 8, 15) : case_make(c, seed);
}

static int check_random(uint64_t seed, long cases)
{
	static struct time_case c;
	struct tally t = { .cases = 0 };
	bool ok = true;

	for (; ok && t.cases < cases; seed++)
		if (make_case(&c, seed)) {
			if (seed % 2)
				case_points(&c);
			if (shared)
				draw_shared(&c, seed);
			else
				draw_platform(&c, seed);
			ok = check(&c, &t);
		}
	if (shared)
		printf("%ld delayed\n", t.delayed);
	printf("%s: %ld cases, %ld failures, %ld repairs, %ld overlaps, %ld iterations repeated, "
	       "%ld supported; next seed %llu\n",
	       !ok      ? "NOT EQUAL"
	       : shared ? "all as expected"
			: "all equal",
	       t.cases, t.failures, t.repairs, t.overlaps, t.repeated, t.supported,
	       (unsigned long long)seed);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int check_stencil(int roles, int64_t steps)
{
	static const size_t bytes[STENCIL_AXES] = { 8000, 0, 0 };
	struct stencil_pattern stencil;
	struct rb_error err = { "" };
	struct result ref, simgrid;
	double begin, middle;
	struct model m;
	bool ok;

	if (stencil_pattern_init(&stencil, 1, &roles, false, bytes, &err) != RB_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	m = (struct model){ .pattern = &stencil.pattern,
			    .steps = steps,
			    .policy = { .ops = &policy_none },
			    .schedule = { .interval = 10 },
			    .work = { 3, { 0.5, 1, 2 }, 1 },
			    .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9 },
			    .watts = { 100, 50, 25, 0 } };
	begin = clock_monotonic();
	if (model_check(&m, &err) != RB_OK || simulate_ref(&m, NULL, 0, &ref, &err) != RB_OK) {
		fprintf(stderr, "ref: %s\n", err.text);
		return 2;
	}
	middle = clock_monotonic();
	if (simulate_simgrid(&m, NULL, 0, &simgrid, &err) != RB_OK) {
		fprintf(stderr, "simgrid: %s\n", err.text);
		return 2;
	}
	ok = same(&ref, &simgrid);
	printf("%s: %d roles x %lld iterations, ref %.3g s, simgrid %.3g s\n",
	       ok ? "all equal" : "NOT EQUAL", roles, (long long)steps, middle - begin,
	       clock_monotonic() - middle);
	result_free(&ref);
	result_free(&simgrid);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const bool stencil = argc == 4 && strcmp(argv[1], "--stencil") == 0;
	bool two;
	long first, count;

	longer = argc == 4 && strcmp(argv[1], "--longer") == 0;
	shared = argc == 4 && strcmp(argv[1], "--shared") == 0;
	two = argc == 3 || stencil || longer || shared;
	first = two ? strtol(argv[argc - 2], NULL, 10) : -1;
	count = two ? strtol(argv[argc - 1], NULL, 10) : 0;
	if (first < 0 || count < 1 || (stencil && first < 1)) {
		fprintf(stderr,
			"usage: simgrid_check [--longer|--shared] FIRST_SEED CASES | simgrid_check --stencil ROLES ITERATIONS\n"
			"--longer: work takes a tick longer in SimGrid; this difference must be found\n"
			"--shared: roles share cores and links\n");
		return 2;
	}
	return stencil ? check_stencil((int)first, count) : check_random((uint64_t)first, count);
}

/* A second state of the same role: with the regions of the first it computes the same, in turn with
 * it and after the first is gone, and it shares what never changes. A third one is given what never
 * changes. Messages through tests/local_port.h. */
#include "contract/kernel.h"
#include "tests/local_port.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <xxhash.h>

#include <cmocka.h>

/* iterations; with those of CG across the end of an outer one */
enum { ALONE = 3, TOGETHER = 24, LEFT = 4 };

struct run {
	const struct kernel_ops *kernel;
	struct kernel_args args;
	int np;
	/* where the originals, their twins and the reference are */
	struct local_world first, second, third;
};

struct role {
	struct run *run;
	struct local_port first, second, third;
	int rc;
	char trouble[160];
};

static uint64_t hash(const struct kernel_ops *kernel, struct kernel_state *s)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	size_t count = kernel->regions(s, region);
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		hash = XXH3_64bits_withSeed(region[i].data, region[i].bytes, hash);
	return hash;
}

static void copy_regions(const struct kernel_ops *kernel, struct kernel_state *to,
			 struct kernel_state *from)
{
	struct kernel_region a[KERNEL_MAX_REGIONS], b[KERNEL_MAX_REGIONS];
	size_t count = kernel->regions(from, a), bytes[KERNEL_MAX_REGIONS];

	for (size_t i = 0; i < count; i++)
		bytes[i] = a[i].bytes;
	if (kernel->fit)
		assert_int_equal(kernel->fit(to, bytes, count), RB_OK);
	kernel->regions(to, b);
	for (size_t i = 0; i < count; i++)
		memcpy(b[i].data, a[i].data, a[i].bytes);
}

static int go(const struct kernel_ops *kernel, struct kernel_state *s, struct local_port *p,
	      int64_t from, int64_t to)
{
	for (p->iter = from; p->iter < to; p->iter++) {
		RB_TRY(kernel->step(s, &p->msg, p->iter));
		kernel->commit(s, p->iter);
	}
	return RB_OK;
}

static int complain(struct role *r, const char *what, int64_t iter)
{
	snprintf(r->trouble, sizeof r->trouble, "iteration %lld: %s", (long long)iter, what);
	return RB_ECORRUPT;
}

/* Does the twin make the message calls that the other state made last? */
static bool same_calls(const struct local_port *of, const struct local_port *twin)
{
	const size_t before = of->operations - twin->operations;

	for (size_t i = 0; i < twin->operations; i++) {
		const struct pattern_operation *a = &of->done[before + i].is,
					       *b = &twin->done[i].is;

		if (a->kind != b->kind || a->peer != b->peer || a->tag != b->tag ||
		    a->bytes != b->bytes)
			return false;
	}
	return true;
}

/* Both steps before both commits: nothing that a step writes may be shared. */
static int together(struct role *r, struct kernel_state *s, struct kernel_state *twin)
{
	const struct kernel_ops *kernel = r->run->kernel;

	copy_regions(kernel, twin, s);
	for (int64_t i = ALONE; i < ALONE + TOGETHER; i++) {
		RB_TRY(kernel->step(s, &r->first.msg, i));
		RB_TRY(kernel->step(twin, &r->second.msg, i));
		kernel->commit(twin, i);
		kernel->commit(s, i);
		if (hash(kernel, s) != hash(kernel, twin))
			return complain(r, "the twin's state is another one", i);
	}
	return same_calls(&r->first, &r->second)
		       ? RB_OK
		       : complain(r, "the twin's messages are others", ALONE + TOGETHER);
}

/* Constants that outlive the state that has computed them. */
struct given {
	struct kernel_region region[KERNEL_MAX_REGIONS];
	size_t count;
};

/* A new state; if the kernel has constants, with copies of those of a state that is gone. */
static int make_reference(const struct role *r, int role, struct given *given,
			  struct kernel_state **out)
{
	const struct kernel_ops *kernel = r->run->kernel;
	struct rb_error err;

	given->count = 0;
	RB_TRY(kernel->create(out, &r->run->args, role, r->run->np, NULL, &err));
	if (!kernel->constants)
		return RB_OK;
	given->count = kernel->constants(*out, given->region);
	for (size_t i = 0; i < given->count; i++) {
		struct kernel_region *region = &given->region[i];
		void *copy = mmap(NULL, region->bytes + 1, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memcpy(copy, region->data, region->bytes);
		mprotect(copy, region->bytes + 1, PROT_READ);
		region->data = copy;
	}
	kernel->destroy(*out);
	return kernel->create(out, &r->run->args, role, r->run->np, given->region, &err);
}

/* A twin of the twin goes on once both others are gone. */
static int play(struct role *r)
{
	const struct kernel_ops *kernel = r->run->kernel;
	const int role = r->first.msg.role, end = ALONE + TOGETHER + LEFT;
	struct kernel_state *s, *twin, *last, *reference;
	struct given given;
	struct rb_error err;
	int rc;

	RB_TRY(kernel->create(&s, &r->run->args, role, r->run->np, NULL, &err));
	RB_TRY(go(kernel, s, &r->first, 0, ALONE));
	RB_TRY(kernel->twin(&twin, s));
	RB_TRY(together(r, s, twin));
	RB_TRY(kernel->twin(&last, twin));
	copy_regions(kernel, last, s);
	kernel->destroy(role % 2 ? s : twin);
	kernel->destroy(role % 2 ? twin : s);
	RB_TRY(go(kernel, last, &r->second, ALONE + TOGETHER, end));
	RB_TRY(make_reference(r, role, &given, &reference));
	rc = go(kernel, reference, &r->third, 0, end);
	if (rc == RB_OK && hash(kernel, reference) != hash(kernel, last))
		rc = complain(r, "the state of the last twin is another one", end);
	kernel->destroy(reference);
	for (size_t i = 0; i < given.count; i++)
		munmap(given.region[i].data, given.region[i].bytes + 1);
	kernel->destroy(last);
	return rc;
}

static void *body(void *element)
{
	struct role *r = element;

	r->rc = play(r);
	return NULL;
}

static void goes_the_same_way(const char *name, struct kernel_args args, int np)
{
	struct run run = { .kernel = kernel_find(name), .args = args, .np = np };
	struct role *role = calloc((size_t)np, sizeof *role);

	local_world_init(&run.first, np);
	local_world_init(&run.second, np);
	local_world_init(&run.third, np);
	for (int r = 0; r < np; r++) {
		role[r].run = &run;
		local_port_init(&role[r].first, &run.first, r);
		local_port_init(&role[r].second, &run.second, r);
		local_port_init(&role[r].third, &run.third, r);
	}
	run.first.shorter = run.second.shorter = run.third.shorter = strcmp(name, "bfs") == 0;
	local_run(np, body, role, sizeof *role);
	for (int r = 0; r < np; r++) {
		if (role[r].rc != RB_OK)
			fail_msg("%s, role %d: %d %s%s%s%s", name, r, role[r].rc, role[r].trouble,
				 role[r].first.trouble, role[r].second.trouble,
				 role[r].third.trouble);
		local_port_free(&role[r].first);
		local_port_free(&role[r].second);
		local_port_free(&role[r].third);
	}
	assert_int_equal(local_world_free(&run.first) + local_world_free(&run.second) +
				 local_world_free(&run.third),
			 0);
	free(role);
}

static void twins_go_the_same_way(void **state)
{
	(void)state;
	goes_the_same_way("cg", (struct kernel_args){ { "S", "0" } }, 4);
	goes_the_same_way("cg", (struct kernel_args){ { "S", "0" } }, 8);
	goes_the_same_way("lulesh", (struct kernel_args){ { "4", "0", "double" } }, 8);
	goes_the_same_way("lulesh", (struct kernel_args){ { "4", "0", "double", "all" } }, 8);
	goes_the_same_way("jacobi", (struct kernel_args){ { "50", "100", "auto" } }, 6);
	goes_the_same_way("cg", (struct kernel_args){ { "S", "0", "central" } }, 8);
	goes_the_same_way("lulesh", (struct kernel_args){ { "4", "0", "double", "faces", "ring" } },
			  8);
	goes_the_same_way("jacobi", (struct kernel_args){ { "50", "100", "auto", "ring" } }, 6);
	goes_the_same_way("bfs", (struct kernel_args){ { "8", "8", "8", "100", "hash", "1" } }, 6);
	goes_the_same_way("amr", (struct kernel_args){ { "8", "4", "2", "100", "5" } }, 6);
	goes_the_same_way("triad", (struct kernel_args){ { "1000", "100" } }, 2);
}

static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* A twin costs less than the original, namely by `shared` bytes, and no more than `own`: regions
 * and what a step writes. Nothing is left when both are gone. */
static void costs(const char *name, struct kernel_args args, size_t shared, size_t own)
{
	const struct kernel_ops *kernel = kernel_find(name);
	struct kernel_state *s, *twin;
	struct rb_error err;
	size_t begin = allocated(), created, twinned;

	assert_int_equal(kernel->create(&s, &args, 0, 1, NULL, &err), RB_OK);
	created = allocated() - begin;
	assert_int_equal(kernel->twin(&twin, s), RB_OK);
	twinned = allocated() - begin - created;
	assert_in_range(created + 200, twinned + shared, twinned + shared + shared / 20 + 400);
	assert_in_range(twinned, own - own / 20, own + own / 20 + 5000);
	kernel->destroy(s);
	kernel->reset(twin); /* it needs nothing that is gone */
	kernel->destroy(twin);
	assert_in_range(allocated(), begin, begin + 5000);
}

static void constants_are_shared(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* mallinfo2() knows nothing of a sanitizer's memory */
#endif
	enum {
		D = sizeof(double),
		N = 14000,
		NODES = 21 * 21 * 21,
		ELEMENTS = 20 * 20 * 20,
		FACE = 20 * 20
	};

	(void)state;
	/* 1,853,104 elements of 10 bytes and the beginnings of the rows; 4 vectors, twice, and 3 to
	 * work on. */
	costs("cg", (struct kernel_args){ { "A", "0" } }, 10 * 1853104 + D * N, 11 * D * N);
	costs("lulesh", (struct kernel_args){ { "20", "0", "double" } }, D * (NODES + 2 * ELEMENTS),
	      D * (15 * NODES + (8 + 6) * ELEMENTS + 6 * FACE + 6 * 21 * 21));
	costs("jacobi", (struct kernel_args){ { "300", "10", "auto" } }, 0,
	      2 * D * 300 * 300 + 4 * D * 300);
	/* 2 * 261,847 ends of edges that are no loops, in 12,512 rows; 4 numbers for each
	 * vertex. */
	costs("bfs", (struct kernel_args){ { "14", "16", "8", "0", "hash", "1" } },
	      4 * 2 * 261847 + 8 * 12512, 16 * 16384);
	costs("triad", (struct kernel_args){ { "100000", "10" } }, 2 * D * 100000, 2 * D * 100000);
}

static void every_kernel_has_twins(void **state)
{
	static const char *const here[] = { "cg", "lulesh", "jacobi", "bfs", "amr", "triad" };
	size_t known = 0;

	(void)state;
	for (size_t k = 0; kernel_registry[k]; k++) {
		assert_non_null(kernel_registry[k]->twin);
		for (size_t i = 0; i < sizeof here / sizeof *here; i++)
			known += strcmp(kernel_registry[k]->name, here[i]) == 0;
	}
	assert_null(kernel_registry[known]); /* else it is missing above */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twins_go_the_same_way),
		cmocka_unit_test(constants_are_shared),
		cmocka_unit_test(every_kernel_has_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* contract/kernel.h - the contract between a numerical kernel and the time-step loop.
 *
 * A kernel is numerics only: it never calls MPI, knows no policy, no checkpoint and no failure. One
 * iteration is one transaction (message-logging-kernels paper, Sect. 3.1):
 *
 *      step(s, m, i)    computes iteration i out of place, up to and including its last
 *                       message; must not change anything that regions() reports, unless its
 *                       plan is in_place;
 *      commit(s, i)     makes it irreversible by swapping pointers; no messages, cannot fail.
 *
 * If step() returns RB_LOST the same iteration is simply run again, perhaps on a fresh process that
 * loaded the regions from a checkpoint. After the last iteration the closing transaction verify()
 * checks the answer; it may exchange messages and changes no state.
 *
 * Call order: plan (in the harness, little memory) | create or twin, reset or (fill regions, then
 * loaded), { step, commit }*, verify, destroy. Several states may be in use at once, also of one
 * role, so a kernel has no variables outside of its states, except results of pattern() that it
 * keeps under a lock. */
#ifndef CONTRACT_KERNEL_H
#define CONTRACT_KERNEL_H

#include "base/error.h"
#include "contract/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_MAX_REGIONS = 64, KERNEL_MAX_OPTIONS = 8 };

/* A command-line option of the kernel: `--name VALUE`. value is the default. */
struct kernel_option {
	const char *name;
	const char *value;
	const char *help;
};

/* Option values as strings, in the order of ops->options. */
struct kernel_args {
	const char *value[KERNEL_MAX_OPTIONS];
};

/* What a set of arguments means, known before anything runs. */
struct kernel_plan {
	int64_t iterations; /* transactions, not counting verify(); at most, if open_ended */
	bool open_ended;    /* finished() decides when to stop */
	bool uncoupled;     /* iterations do not need the last iteration of every other role */
	/* which messages are sent depends on data, so that pattern() cannot say it */
	bool data_driven;
	/* step() ends, and does no harm, if a receive leaves in its buffer what an earlier one of
	 * this state put there, or the zeros of a new state (dataflow:flat) */
	bool bears_old_data;
	/* step() changes what regions() reports: no failures, unless the state is copied before
	 * each iteration (ft/role/undo.h) */
	bool in_place;
	double bytes_per_role; /* of its arrays; an estimate, if roles have unlike shares */
	char layout[48];       /* e.g. "2x4 roles", for the record */
};

/* One piece of persistent state. Pointers are valid until the next commit(). */
struct kernel_region {
	const char *name;
	void *data;
	size_t bytes;
};

struct kernel_verdict {
	const char *what; /* "zeta", "sum of squares" */
	double value;
	double reference; /* NAN: none is known for these arguments */
	double tolerance; /* relative, |value - reference| / |reference| */
	bool ok;          /* false also if a further check of the kernel fails */
	char note[96];    /* further figures in words, may be empty */
};

struct kernel_state; /* each kernel defines its own struct of this name */

struct kernel_ops {
	const char *name;
	const char *summary;
	const struct kernel_option *options; /* ends with a NULL name */
	/* Options that are in the names of runs only if they are not the default, ending with NULL;
	 * NULL: all are there. */
	const char *const *tacit;
	/* RB_OK, or RB_EINVAL with the offending option named in err. */
	int (*plan)(const struct kernel_args *args, int np, struct kernel_plan *plan,
		    struct rb_error *err);
	/* Allocate and build what never changes. RB_OK, RB_ENOMEM, or RB_EINVAL if this build
	 * cannot do what an option asks for. Without messages. constants: NULL, or all that
	 * constants() said of a state of the same arguments, role and np, perhaps at other
	 * addresses. They are read only, outlive the state and its twins, and need not be computed
	 * again. */
	int (*create)(struct kernel_state **out, const struct kernel_args *args, int role, int np,
		      const struct kernel_region *constants, struct rb_error *err);
	/* Fill out[] with what never changes and takes time to compute, in a fixed order; returns
	 * how many. It is valid until the state is destroyed. NULL: there is no such thing. */
	size_t (*constants)(const struct kernel_state *s,
			    struct kernel_region out[KERNEL_MAX_REGIONS]);
	/* One more state of the same role, which shares what never changes, so that it costs only
	 * its regions and what step() writes. Its regions hold nothing yet. `of` may be in the
	 * middle of a step. RB_OK or RB_ENOMEM. */
	int (*twin)(struct kernel_state **out, const struct kernel_state *of);
	void (*destroy)(struct kernel_state *s); /* NULL is allowed; twins in any order */
	void (*reset)(struct kernel_state *s);   /* the state before iteration 0 */
	/* RB_OK, what a message call returned, or RB_ENUMERIC: the run ends with what breakdown()
	 * says. */
	int (*step)(struct kernel_state *s, struct msg *m, int64_t iter);
	/* Make the message calls of step(iter), and no others, without computing and without data:
	 * sizes, receivers, tags and order must be the same. For contract/pattern.h; needs little
	 * memory. RB_OK, RB_ENOMEM, or what a message call returned. Several threads may call
	 * it. */
	int (*pattern)(const struct kernel_args *args, int role, int np, int64_t iter,
		       struct msg *m);
	/* pattern() computes the whole run before it answers for the first time, since sizes depend
	 * on data. So forecasts and recoveries use it, but no role does so only to reserve memory
	 * for its log. */
	bool pattern_is_costly;
	/* NULL: no RB_ENUMERIC */
	void (*breakdown)(const struct kernel_state *s, struct rb_error *err);
	void (*commit)(struct kernel_state *s, int64_t iter);
	/* NULL: ends after plan.iterations. Else called before every iteration; follows from the
	 * committed state, the same on all roles. */
	bool (*finished)(const struct kernel_state *s);
	int (*verify)(struct kernel_state *s, struct msg *m, struct kernel_verdict *v);
	/* Fill out[] with all persistent state, in a fixed order; returns how many. Names never
	 * change, and sizes only if there is fit(). Writing through the pointers and then
	 * continuing with step() is how a checkpoint is restored, so derived data must be
	 * recomputed in step(). */
	size_t (*regions)(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS]);
	/* NULL: sizes of regions never change. Else called before the regions are filled from a
	 * checkpoint: make room, so that regions() reports these sizes. What was in them is lost.
	 * RB_OK, RB_ENOMEM, or RB_EINVAL: no state has such sizes. */
	int (*fit)(struct kernel_state *s, const size_t *bytes, size_t count);
};

/* NULL-terminated; a new kernel is one line in kernels/list.h. */
extern const struct kernel_ops *const kernel_registry[];
const struct kernel_ops *kernel_find(const char *name); /* NULL if unknown */

#endif

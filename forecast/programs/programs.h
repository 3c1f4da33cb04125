/* forecast/programs/programs.h - the programs of all iterations, each distinct one loaded once. */
#ifndef FORECAST_PROGRAMS_PROGRAMS_H
#define FORECAST_PROGRAMS_PROGRAMS_H

#include "forecast/programs/program.h"
#include "forecast/time/model.h"

struct programs {
	const struct model *m;
	struct program **list; /* NULL: not loaded yet */
	int64_t count;
	int64_t before, period; /* iterations from `before` on repeat so; 0: they do not */
	/* without a period: the iteration whose program is list[0]; -1: none */
	int64_t single;
};

/* RB_OK, RB_ENOMEM or what the pattern returned; programs_free() in any case. */
int programs_init(struct programs *p, const struct model *m);
void programs_free(struct programs *p);
/* The program of an iteration, which stays valid until the one of another iteration is asked for.
 * RB_OK; RB_ENOMEM; RB_EINVAL: a message is received that nobody sends, or roles wait for each
 * other. */
int program_of(struct programs *p, int64_t iter, const struct program **program,
	       struct rb_error *err);
/* The same, and its waves (forecast/programs/waves.h), which stay valid as long. */
int program_with_waves(struct programs *p, int64_t iter, const struct program **program,
		       const struct waves **waves, struct rb_error *err);

#endif

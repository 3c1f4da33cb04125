#include "harness/kind/elc/elc_torture.h"

#include "base/status.h"
#include "harness/job/mpirun.h"
#include "harness/store/store.h"

#include <stdio.h>
#include <string.h>

static int draw(void *of, int64_t i, struct torture_case *c, struct rb_error *err)
{
	struct elc_torture *t = of;

	RB_TRY(elc_torture_draw(t, i, &c->problem, err));
	snprintf(c->row, sizeof c->row, "%s %s", t->run.plan.program,
		 elc_protocol_word((int)t->run.plan.protocol));
	return RB_OK;
}

static struct outcome judge(void *of, const json_t *record, enum run_status status)
{
	const struct elc_torture *t = of;
	const char *message = json_string_value(json_object_get(record, "message"));
	const bool refused =
		status == STATUS_ABORT && message && elc_torture_refuses(&t->run.plan, message);

	return (struct outcome){ .status = status,
				 .refused = refused,
				 .expected = status == STATUS_OK || refused,
				 .restarts = t->run.launch.jobs - 1 };
}

/* Hashes of all programs that may be drawn. */
static json_t *executables(void)
{
	static const char *const names[] = { "gauss_jordan", "neurons", "disks", "matmul",
					     "kernel" };
	json_t *found = json_object();

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[64], hash[MANIFEST_HASH] = "";
		struct rb_error ignored; /* then no run of it can be made */

		snprintf(path, sizeof path, "elc/programs/%s", names[i]);
		elc_hash(path, hash, &ignored);
		json_object_set_new(found, names[i], json_string(hash));
	}
	return found;
}

/* The programs and the library are files of their own. */
static json_t *terms(void *of)
{
	const struct elc_torture *t = of;
	char library[MANIFEST_HASH] = "";
	struct rb_error ignored; /* then the library is missing, and no run can be made */
	json_t *terms;

	elc_hash(ELC_LIBRARY, library, &ignored);
	terms = json_pack("{s:s, s:s, s:s, s:i, s:f, s:s, s:o}", "kills",
			  torture_kills_word((int)t->kills), "protocols", t->protocols, "programs",
			  t->programs ? t->programs : "all", "np", t->np, "deadline", t->deadline_s,
			  "library", library, "executables", executables());
	mpirun_describe(terms);
	return terms;
}

int elc_torture_begin(struct elc_torture *t, struct torture_source *source, struct rb_error *err)
{
	*source = (struct torture_source){ .of = t,
					   .run = &t->run.run,
					   .draw = draw,
					   .judge = judge,
					   .terms = terms,
					   .elc = true };
	t->run.run.kind = &elc_kind;
	return elc_torture_choose(t, err);
}

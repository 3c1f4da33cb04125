#include "harness/elc/elc_torture.h"

#include "base/status.h"
#include "harness/job/mpirun.h"
#include "harness/store/store.h"

#include <stdio.h>
#include <string.h>

static int draw(void *of, int64_t i, struct torture_case *c, struct rb_error *err)
{
	struct elc_torture *t = of;

	RB_TRY(elc_torture_draw(t, i, &c->problem, err));
	snprintf(c->row, sizeof c->row, "%s %s", t->plan.program,
		 elc_protocol_word((int)t->plan.protocol));
	RB_TRY(elc_plan_find(&t->plan, err));
	return elc_plan_check(&t->plan, err);
}

static int check(void *of, struct rb_error *err)
{
	(void)of, (void)err; /* draw() has done it */
	return RB_OK;
}

static void command(void *of, char out[COMMAND_TEXT])
{
	elc_command(&((struct elc_torture *)of)->plan, out);
}

static int refer(void *of, char hash[TORTURE_HASH], struct rb_error *err)
{
	struct elc_torture *t = of;
	struct elc_reference ref = { .how = NULL };
	int rc = elc_refer(&t->plan, t->workdir, &ref, err);

	if (rc == RB_OK)
		snprintf(hash, TORTURE_HASH, "%s", ref.hash);
	return rc;
}

static int make(void *of, const char *hash, struct torture_made *made, struct rb_error *err)
{
	struct elc_torture *t = of;
	struct elc_reference ref = { .how = "a run without lines", .seconds = -1, .wall_s = -1 };
	struct outcome *o = &made->outcome;
	int rc;

	snprintf(ref.hash, sizeof ref.hash, "%s", hash);
	rc = elc_run(&t->plan, t->workdir, &t->run, err);
	if (rc != RB_OK) {
		elc_run_remove(&t->run, false);
		return rc;
	}
	made->record = elc_record(&t->plan, &t->run, &ref, &o->status);
	made->message = json_string_value(json_object_get(made->record, "message"));
	o->refused = o->status == STATUS_ABORT && made->message &&
		     elc_torture_refuses(&t->plan, made->message);
	o->expected = o->status == STATUS_OK || o->refused;
	o->restarts = t->run.jobs - 1;
	return RB_OK;
}

static void remove_folder(void *of)
{
	elc_run_remove(&((struct elc_torture *)of)->run, false);
}

static int keep(void *of, const char *to, struct rb_error *err)
{
	struct elc_torture *t = of;

	elc_run_remove(&t->run, true);
	RB_TRY(scratch_move(t->run.dir, to, err));
	snprintf(t->run.dir, sizeof t->run.dir, "%s", to);
	return RB_OK;
}

static const char *folder(void *of)
{
	return ((struct elc_torture *)of)->run.dir;
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
	static const char *const words[] = {
		[TORTURE_PLANNED] = "planned", [TORTURE_CLOCK] = "clock", [TORTURE_BOTH] = "both"
	};
	const struct elc_torture *t = of;
	char library[MANIFEST_HASH] = "";
	struct rb_error ignored; /* then the library is missing, and no run can be made */
	json_t *terms;

	elc_hash(ELC_LIBRARY, library, &ignored);
	terms = json_pack("{s:s, s:s, s:s, s:i, s:f, s:s, s:o}", "kills", words[t->kills],
			  "protocols", t->protocols, "programs", t->programs ? t->programs : "all",
			  "np", t->np, "deadline", t->deadline_s, "library", library, "executables",
			  executables());
	mpirun_describe(terms);
	return terms;
}

int elc_torture_begin(struct elc_torture *t, struct torture_kind *kind, struct rb_error *err)
{
	*kind = (struct torture_kind){ .of = t,
				       .draw = draw,
				       .check = check,
				       .command = command,
				       .refer = refer,
				       .make = make,
				       .remove = remove_folder,
				       .keep = keep,
				       .folder = folder,
				       .terms = terms,
				       .elc = true };
	return elc_torture_choose(t, err);
}

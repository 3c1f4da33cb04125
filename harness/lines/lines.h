/* harness/lines/lines.h - `rollbench run PROGRAM --line PROTOCOL`: a plain MPI program, or a kernel
 * as one, under event-logging checkpoints (docs/event-logging.md). Its job is killed as the plan
 * says and started again until it ends, and there is one record, schema "rollbench-line-1"
 * (docs/record.md).
 *
 * The engine in ft/ has no part in this: the job is the program with libelc. Each process begins as
 * `rollbench_worker line-worker DIR`, which binds it to a core, sets the environment for the
 * library and executes the program. The library leaves its reports in the run folder. */
#ifndef HARNESS_LINES_LINES_H
#define HARNESS_LINES_LINES_H

#include "base/error.h"
#include "harness/job/cleaner.h"
#include "harness/job/job_log.h"
#include "harness/job/launch_job.h"
#include "harness/job/scratch.h"
#include "harness/record/record.h"
#include "harness/options/command.h"
#include "harness/options/yaml.h"
#include "harness/store/manifest.h"
#include "inject/outside.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { LINE_KILLS = 32, LINE_ARGUMENTS = 64, LINE_NP_MAX = 1 << 16, LINE_HASH = 40 };

/* LINE_SOURCE: the program is not even linked with the library. */
enum line_protocol {
	LINE_OFF,
	LINE_SOURCE,
	LINE_EVENTS,
	LINE_TAGGING,
	LINE_TAGGING_COPY,
	LINE_MARKERS
};

/* How a job is killed: by the clock from outside, or this rank dies at its step-th safe point, or
 * at the first such moment from then on. */
struct line_kill {
	struct outside_plan clock; /* of ranks; count 0: not by the clock */
	int rank;
	int64_t step;
	char moment[16]; /* "step": at the safe point itself */
};
enum { LINE_KILL = 512 }; /* as text */

struct line_plan {
	const char *program;  /* as the user calls it */
	char path[SPEC_PATH]; /* the file that is executed */
	/* the program is the one for kernels, and its first argument the kernel */
	bool kernel;
	enum line_protocol protocol;
	int np;
	bool list;                      /* logs are lists, not counted */
	int64_t lines;                  /* that the program asks for; -1: the user has not said */
	double interval_s;              /* between lines; 0: the program asks for them */
	char *argument[LINE_ARGUMENTS]; /* of the program: names and values in turn */
	int arguments;
	struct line_kill kill[LINE_KILLS]; /* the k-th one is for the k-th job */
	int kills;
	double deadline_s;
	const struct hosts *hosts; /* NULL: this machine */
};

/* --- lines_plan.c --- */

const char *line_protocol_word(int protocol); /* NULL behind the last */
/* Does the library do something in this run? */
static inline bool line_is_on(const struct line_plan *p)
{
	return p->protocol >= LINE_EVENTS;
}
/* "RANK@STEP[:MOMENT]" is one more kill. RB_OK or RB_EINVAL. */
int line_plan_kill(struct line_plan *p, const char *text, struct rb_error *err);
/* "S:RANK[,S:RANK...]" likewise, by the clock: S seconds after all processes of the job are the
 * program. */
int line_plan_kill_at(struct line_plan *p, const char *text, struct rb_error *err);
/* The text that one of these two understands. */
void line_kill_format(const struct line_kill *k, char *out, size_t size);
/* One more argument of the program, with its value; both are copied. RB_OK or RB_EINVAL. */
int line_plan_argument(struct line_plan *p, const char *name, const char *value,
		       struct rb_error *err);
/* Free the arguments. */
void line_plan_free(struct line_plan *p);
/* Is the word the name of a program that this command starts, other than a kernel? */
bool line_is_program(const char *name);
/* Find the file of plan->program. RB_OK or RB_EINVAL. */
int line_plan_find(struct line_plan *p, struct rb_error *err);
/* Set what follows from other members, and check all; the program itself checks its arguments.
 * RB_OK or RB_EINVAL. */
int line_plan_check(struct line_plan *p, struct rb_error *err);
/* A part of it: can the plan be run on its hosts? Kills by the clock reach processes of this
 * machine only. */
int line_plan_check_hosts(const struct line_plan *p, struct rb_error *err);
/* Its --help, on standard output. */
void line_program_help(const struct line_plan *p);
/* The shell command that repeats the run. */
void line_command(const struct line_plan *p, char out[COMMAND_TEXT]);
#define LINE_LIBRARY "libelc.so"
/* The hash of a file that was built beside rollbench. RB_OK or RB_EIO. */
int line_hash(const char *name, char out[MANIFEST_HASH], struct rb_error *err);

/* --- lines_job.c --- */

/* What the program prints at its end. */
struct line_figures {
	char hash[LINE_HASH];
	bool checks; /* they hold */
	long long size;
	double seconds;
};

enum line_end { LINE_FINISHED, LINE_KILLED, LINE_DIED, LINE_HUNG };

struct line_job {
	enum line_end end;
	double wall_s;
	bool struck[OUTSIDE_MAX]; /* kills by the clock that were sent */
};

struct line_run {
	char dir[SPEC_PATH];
	struct shared_memory shared;
	struct cleaner cleaner;
	struct line_job job[LINE_KILLS + 1];
	int jobs;
	struct line_killer *killer;  /* of the job that runs; NULL: it has no kills by the clock */
	struct line_figures figures; /* of the last job, if it has finished */
	double wall_s;
	bool oversubscribed;
	/* why a job died by itself, and whether only the MPI says so: the log is left then */
	char words[JOB_LOG_TEXT];
	bool unexplained;
};

/* Start jobs until one ends that was not killed by the plan. RB_OK whatever their result; RB_LOST:
 * interrupted; RB_EIO, RB_EINVAL. The caller calls line_run_remove(), whatever this returns. */
int line_run(const struct line_plan *p, const char *parent, struct line_run *run,
	     struct rb_error *err);
void line_run_remove(struct line_run *run, bool keep);
/* The report of a rank in a job, or NULL. New reference. */
json_t *line_report(const struct line_run *run, int job, int rank);
/* The file by which the processes of a job learn what they are. */
void line_job_path(const char *dir, char out[SCRATCH_PATH]);

/* --- line_hosts.c --- */

/* See that the folder of the run is the same one on all hosts of the plan, since the lines will be
 * there. RB_OK, RB_LOST: interrupted, or RB_EINVAL with the name of a host. */
int line_hosts_check(const struct line_plan *p, const char *dir, struct rb_error *err);
/* The body of a process that takes part in this, one on each host. */
int line_hosts_answer(const char *dir, const char *word);
/* Write where the processes of a job run. *placement: `path`, or NULL: on this machine. RB_OK or
 * RB_EIO. */
int line_hosts_place(const struct line_plan *p, const char *dir, char path[SCRATCH_PATH],
		     const char **placement, struct rb_error *err);

/* --- line_killer.c --- */

/* Begin the kills by the clock of a job; *k is NULL if it has none. p and dir must outlive it.
 * RB_OK; RB_EIO: this machine cannot do it; RB_ENOMEM. */
int line_killer_start(struct line_killer **k, const struct line_plan *p, const char *dir, int job,
		      struct rb_error *err);
/* How many processes it has killed so far. */
int line_killer_sent(struct line_killer *k);
/* End it and free it; dead: which kills were sent. Both take NULL. */
void line_killer_stop(struct line_killer *k, bool dead[OUTSIDE_MAX]);

/* --- lines_record.c --- */

/* What the result is compared with. */
struct line_reference {
	/* "a run without lines", or "--reference"; NULL: the run was not compared */
	const char *how;
	char hash[LINE_HASH];
	double seconds, wall_s; /* -1: no run */
};
/* New reference. *status: what it says. */
json_t *line_record(const struct line_plan *p, const struct line_run *run,
		    const struct line_reference *ref, enum run_status *status);

/* --- line_worker.c --- */

/* The body of each process; it returns only if the program cannot be executed. */
int line_worker_main(const char *dir);

/* --- lines_main.c --- */

/* A command line of `rollbench run`. */
struct line_request {
	struct line_plan plan;
	const char *json, *workdir, *reference;
	bool keep, quiet;
};

/* RB_OK, and all is checked; RB_EINVAL; 1: help was asked for, and is printed. */
int line_parse(int argc, char **argv, struct line_request *r, struct rb_error *err);

/* Make the same run without lines and kills. RB_OK with ref filled; otherwise as line_run(), and
 * RB_EINVAL if it has no result. */
int line_refer(const struct line_plan *p, const char *workdir, struct line_reference *ref,
	       struct rb_error *err);

/* Is this command line of `rollbench run` one for lines_main()? */
bool lines_asked(int argc, char **argv);
int lines_main(int argc, char **argv);

/* --- lines_sweep.c --- */

/* A sweep whose file describes runs with --line (docs/event-logging.md). */
struct line_sweep {
	struct yaml_file *file;        /* the caller's */
	const char *results, *workdir; /* NULL: the usual ones */
	bool redo_failed, dry_run;
	double budget_s;           /* 0: no limit */
	const struct hosts *hosts; /* NULL: this machine */
};

/* Is the file one of these? */
bool line_sweep_asked(const struct yaml_file *file);
/* Returns the exit status of `rollbench sweep`. */
int line_sweep_main(const struct line_sweep *s);

#endif

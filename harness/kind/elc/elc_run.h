/* harness/kind/elc/elc_run.h - `rollbench run PROGRAM --protocol PROTOCOL`: a plain MPI program, or
 * a kernel as one, under event-logging checkpoints (docs/event-logging.md). Its job is killed as
 * the plan says and started again until it ends, and there is one record, of the kind `elc`
 * (docs/record.md).
 *
 * The engine in ft/ has no part in this: the job is the program with libelc. Each process begins as
 * `rollbench_worker elc-worker DIR`, which binds it to a core, sets the environment for the
 * library and executes the program. The library leaves its reports in the run folder. */
#ifndef HARNESS_KIND_ELC_ELC_RUN_H
#define HARNESS_KIND_ELC_ELC_RUN_H

#include "base/error.h"
#include "harness/job/job_log.h"
#include "harness/job/launch_job.h"
#include "harness/job/run_folder.h"
#include "harness/kind/kind.h"
#include "harness/record/record.h"
#include "harness/store/manifest.h"
#include "inject/outside.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { ELC_KILLS = 32, ELC_ARGUMENTS = 64, ELC_NP_MAX = 1 << 16 };

/* ELC_SOURCE: the program is not even linked with the library. */
enum elc_protocol { ELC_OFF, ELC_SOURCE, ELC_EVENTS, ELC_TAGGING, ELC_TAGGING_COPY, ELC_MARKERS };

enum elc_log_form { ELC_COUNTED, ELC_LIST };

/* What a process is doing when it is killed: elc_moment() in libelc. The list ends with a NULL
 * name; the first one is the safe point itself. */
struct elc_phase {
	const char *name, *help;
	bool of_rank_0; /* only rank 0 comes to it */
};
extern const struct elc_phase elc_phases[];

/* How a job is killed: by the clock from outside, or this rank dies at its safe point `step` (from
 * 0), or in the first such phase from then on. */
struct elc_kill {
	struct outside_plan clock; /* of ranks; count 0: not by the clock */
	int rank;
	int64_t step;
	const struct elc_phase *phase; /* one of elc_phases; NULL: by the clock */
};
enum { ELC_KILL = 512 }; /* as text */

struct elc_plan {
	const char *program;  /* as the user calls it */
	char path[SPEC_PATH]; /* the file that is executed */
	/* the program is the one for kernels, and its first argument the kernel */
	bool kernel;
	enum elc_protocol protocol;
	int np;
	enum elc_log_form log_form;    /* of the envelope logs */
	int64_t lines;                 /* that the program asks for; -1: the user has not said */
	double interval_s;             /* between lines; 0: the program asks for them */
	char *argument[ELC_ARGUMENTS]; /* of the program: names and values in turn */
	int arguments;
	struct elc_kill kill[ELC_KILLS]; /* the k-th one is for the k-th job */
	int kills;
	double deadline_s;
	const struct hosts *hosts; /* NULL: this machine */
};

/* --- elc_plan.c --- */

const char *elc_protocol_word(int protocol); /* NULL behind the last */
const char *elc_log_word(int form);          /* likewise */
/* Does the library do something in this run? */
static inline bool elc_is_on(const struct elc_plan *p)
{
	return p->protocol >= ELC_EVENTS;
}
/* What holds where the user says nothing. */
void elc_plan_init(struct elc_plan *p);
/* "R@N[:PHASE]" is one more kill. RB_OK or RB_EINVAL. */
int elc_plan_kill(struct elc_plan *p, const char *text, struct rb_error *err);
/* "S:RANK[,S:RANK...]" likewise, by the clock: S seconds after all processes of the job are at the
 * end of elc_restarted(). "start+S:RANK[,start+S:RANK...]": after all of them are the program. */
int elc_plan_kill_at(struct elc_plan *p, const char *text, struct rb_error *err);
/* The text that one of these two understands. */
void elc_kill_format(const struct elc_kill *k, char *out, size_t size);
/* New reference: all of them as such texts. */
json_t *elc_kills_json(const struct elc_plan *p);
/* One more argument of the program, with its value; both are copied. RB_OK or RB_EINVAL. */
int elc_plan_argument(struct elc_plan *p, const char *name, const char *value,
		      struct rb_error *err);
/* Append them to a list. Returns how many: fewer than there are if the next one is not UTF-8. */
int elc_add_arguments(const struct elc_plan *p, json_t *list);
/* Free the arguments. */
void elc_plan_free(struct elc_plan *p);
/* Is the word the name of a program that this command starts, other than a kernel? */
bool elc_is_program(const char *name);
/* Find the file of plan->program. RB_OK or RB_EINVAL. */
int elc_plan_find(struct elc_plan *p, struct rb_error *err);
/* Set what follows from other members, and check all; the program itself checks its arguments.
 * RB_OK or RB_EINVAL. */
int elc_plan_check(struct elc_plan *p, struct rb_error *err);
/* A part of it: can the plan be run on its hosts? Kills by the clock reach processes of this
 * machine only. */
int elc_plan_check_hosts(const struct elc_plan *p, struct rb_error *err);
/* Its --help, on standard output. */
void elc_program_help(const struct elc_plan *p);
/* The shell command that repeats the run. */
void elc_command(const struct elc_plan *p, char out[COMMAND_TEXT]);
#define ELC_LIBRARY "libelc.so"
/* The hash of a file that was built beside rollbench. RB_OK or RB_EIO. */
int elc_hash(const char *name, char out[MANIFEST_HASH], struct rb_error *err);

/* --- elc_job.c --- */

/* How a job ended, as the event "job_ended" has it. */
enum elc_end { ELC_FINISHED, ELC_KILLED, ELC_DIED, ELC_HUNG };
const char *elc_end_word(enum elc_end end);
bool elc_has_ended(const json_t *job_ended, enum elc_end end);

/* A run whose jobs are started, or have been. What they did is in the folder. */
struct elc_launch {
	struct run_folder folder;
	int number;                /* of this launch of the run, from 0 */
	int jobs;                  /* that have ended, those of earlier launches too */
	struct elc_killer *killer; /* of the job that runs; NULL: it has no kills by the clock */
	bool unexplained;          /* only the MPI says why a job died: its log is left */
	bool cut;                  /* mpirun was killed in the last job, and not by the harness */
};

struct elc_run;
/* Start jobs of the run until one ends that was not killed by the plan: in a new folder, or in
 * run->from. RB_OK whatever their result; RB_LOST: interrupted; RB_EIO, RB_EINVAL. The caller calls
 * elc_launch_remove() or run_folder_leave(), whatever this returns. */
int elc_launch(struct elc_run *run, enum launch_use use, struct rb_error *err);
/* Remove the run folder; the log of a job that only the MPI explains is kept beside it. */
void elc_launch_remove(struct elc_launch *launch);
/* The report of a rank in a job, or NULL. New reference. */
json_t *elc_report(const char *dir, int job, int rank);
/* Have all processes of a job been at the end of elc_restarted()? */
bool elc_has_begun(const char *dir, int job);
/* The file by which the processes of a job learn what they are. */
void elc_job_path(const char *dir, char out[SCRATCH_PATH]);

/* --- elc_hosts.c --- */

/* See that the folder of the run is the same one on all hosts of the plan, since the lines will be
 * there. RB_OK, RB_LOST: interrupted, or RB_EINVAL with the name of a host. */
int elc_hosts_check(const struct elc_plan *p, const char *dir, struct rb_error *err);
/* The body of a process that takes part in this, one on each host. */
int elc_hosts_answer(const char *dir, const char *word);
/* Write where the processes of a job run. *placement: `path`, or NULL: on this machine. RB_OK or
 * RB_EIO. */
int elc_hosts_place(const struct elc_plan *p, const char *dir, char path[SCRATCH_PATH],
		    const char **placement, struct rb_error *err);

/* --- elc_killer.c --- */

/* Begin the kills by the clock of a job; *k is NULL if it has none. p and dir must outlive it.
 * RB_OK; RB_EIO: this machine cannot do it; RB_ENOMEM. */
int elc_killer_start(struct elc_killer **k, const struct elc_plan *p, const char *dir, int job,
		     struct rb_error *err);
/* How many processes it has killed so far. */
int elc_killer_sent(struct elc_killer *k);
/* End it and free it; dead: which kills were sent. Both take NULL. */
void elc_killer_stop(struct elc_killer *k, bool dead[OUTSIDE_MAX]);

/* --- elc_record.c --- */

/* The record of a run that follows from its folder, with the events in it (events_read()). *status:
 * what it says. New reference; NULL: the events do not say how the run ended. */
json_t *elc_record(const struct elc_plan *p, const char *dir, const json_t *events,
		   enum run_status *status);

/* --- elc_worker.c --- */

/* The body of each process; it returns only if the program cannot be executed. */
int elc_worker_main(const char *dir);

/* --- elc_run.c --- */

struct elc_run {
	struct run run;
	struct elc_plan plan;
	struct elc_launch launch; /* once made */
};

extern const struct kind elc_kind;

/* --- elc_file.c --- */

/* Write spec.json into the folder of a run: what was asked for, without hosts, and what the result
 * is compared with. RB_OK, RB_EIO, or RB_EINVAL: an argument is not UTF-8. */
int elc_save(const struct elc_run *run, const char *dir, struct rb_error *err);
/* Read it back into a run of defaults. RB_OK; RB_EINVAL: of another version; RB_ENOMEM. */
int elc_load(struct elc_run *run, json_t *json, const char *dir, struct rb_error *err);

/* The options of such runs that are not those of all kinds, nor of the program. */
extern const struct option elc_options[];

/* --- elc_experiment.c: functions of elc_kind --- */

int elc_check_keys(const struct yaml_node *options, struct rb_error *err);
bool elc_is_inner(const char *key);
bool elc_is_idle(const struct yaml_node *options, const char *key);
const char *elc_phase(const char *role, int i);
int elc_complete(struct run *run, const struct run_setting *in, struct rb_error *err);
size_t elc_name(const struct run *run, enum run_name part, char *out, size_t size);
bool elc_is_plain(const struct run *run);
json_t *elc_describe(const struct run *run, struct rb_error *err);
struct run_size elc_size(const struct run *run);
void elc_row(const struct run *run, char *out, size_t size);
bool elc_is_expected(const struct run *run, const json_t *record);

#endif

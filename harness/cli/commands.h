/* harness/cli/commands.h - the subcommands; each returns the process's exit status. */
#ifndef HARNESS_CLI_COMMANDS_H
#define HARNESS_CLI_COMMANDS_H

#include "harness/job/launch.h"
#include "harness/kind/kind.h"
#include "harness/record/record.h"

/* All kinds of runs, with NULL behind (harness/cli/kinds.c). */
extern const struct kind *const all_kinds[];

/* argv[0] is the subcommand's name. */
int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_interval(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_torture(int argc, char **argv);
int cmd_barrier(int argc, char **argv);
int cmd_envelopes(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_papers(int argc, char **argv);
/* The commands that are scripts in plots/: execute the one of that name. Returns only if that is
 * not possible. */
int cmd_script(int argc, char **argv);
/* The path of a file in plots/: of the checkout that this program was built in, of its
 * installation, or of $ROLLBENCH_SHARE. RB_OK or RB_EINVAL. */
int script_find(const char *in_plots, char path[SPEC_PATH], struct rb_error *err);
/* Set what scripts in plots/ want to be in the environment. */
void script_environment(void);

/* `run` and `resume`: find the hosts of a run, check it, make it, and deliver its record. Returns
 * the exit status, or a negative status if it is refused. */
int run_to_its_end(struct run *run, struct rb_error *err);

/* Restore the settings of cores that killed runs have left slowed down, before anything is measured
 * on these cores. Standard error says so, and has the remedy for cores that cannot be restored. */
void say_leftovers(const char *command);

/* Print why a command is refused; returns its exit status. */
static inline int refused_status(const char *command, const struct rb_error *err)
{
	fprintf(stderr, "rollbench %s: %s\n", command, err->text);
	return STATUS_USAGE;
}

/* Exit status of a command ended by a signal. */
static inline int interrupted_status(int sig)
{
	return 128 + sig;
}

#endif

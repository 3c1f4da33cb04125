/* harness/job/job_log.h - what mpirun and the processes of a run's jobs wrote: mpirun.log in the
 * run folder. */
#ifndef HARNESS_JOB_JOB_LOG_H
#define HARNESS_JOB_JOB_LOG_H

#include "harness/job/scratch.h"

#include <stdbool.h>
#include <stdio.h>

enum { JOB_LOG_TEXT = 400 };

void job_log_path(const char *dir, char out[SCRATCH_PATH]);
/* How many bytes it has: the byte at which the part of the next job will begin. */
long job_log_size(const char *dir);
/* Open it at that byte. NULL: there is none. */
FILE *job_log_open(const char *dir, long from);
/* Add how mpirun ended, if that was not by exit status 0. status: as waitpid() has it. */
void job_log_add_end(const char *dir, int status);
/* Does the job that begins at byte `from` say that one of its processes was killed? */
bool job_log_says_killed(const char *dir, long from);
/* From the part of a job without a result, in one line: what a worker said of it; otherwise the
 * message whose cause is known, with its remedy; otherwise the first message of the MPI, since
 * those that follow are of what it led to. kills: processes of the job are killed on purpose.
 * Returns whether there is a remedy. */
bool job_log_explain(const char *dir, long from, bool kills, char out[JOB_LOG_TEXT]);
/* The same from the output of a job in memory, one that may kill a process on purpose. */
bool job_log_explain_text(const char *text, char out[JOB_LOG_TEXT]);
/* Of a job that did not start, leave the log beside the run folder, which is removed next, as
 * DIR.log, and say so on standard error. This is done for the first such job of a command only,
 * because one cause stops all its jobs. */
void job_log_leave(const char *dir);

#endif

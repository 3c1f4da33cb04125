/* harness/job/job_causes.h - causes for which the MPI does not start a job, or ends it, and what
 * the user can do about each. */
#ifndef HARNESS_JOB_JOB_CAUSES_H
#define HARNESS_JOB_JOB_CAUSES_H

#include <stdbool.h>

/* The remedy for a message of the MPI; NULL: its cause is not known. kills: processes of the job
 * are killed on purpose, so that a killed one needs no remedy. */
const char *job_causes_remedy(const char *message, bool kills);

#endif

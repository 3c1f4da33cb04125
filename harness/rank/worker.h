/* harness/rank/worker.h - `rollbench_worker worker DIR JOB`: the body of each process of a run by
 * the engine. */
#ifndef HARNESS_RANK_WORKER_H
#define HARNESS_RANK_WORKER_H

/* job: the number of the job, from 0, in the run of that folder. Returns the process's exit
 * status. */
int worker_main(const char *dir, int job);

#endif

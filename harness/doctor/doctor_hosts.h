/* harness/doctor/doctor_hosts.h - what processes of a job say of their hosts: one on each, which
 * start as `rollbench_worker doctor-worker DIR`. */
#ifndef HARNESS_DOCTOR_DOCTOR_HOSTS_H
#define HARNESS_DOCTOR_DOCTOR_HOSTS_H

/* The body of such a process: it looks for the file DOCTOR_QUESTION in the folder, and compares its
 * clock with that of rank 0. That one prints a line with DOCTOR_ANSWER and JSON: {"hosts":
 * [{"name", "sees": BOOL, "ahead_s", "within_s", "unfit"}, ...], "settings": {...}}. ahead_s: how
 * far its clock is ahead of that of rank 0; the error is at most within_s, half of the shortest
 * round trip. unfit: what is in force there and does not let a job survive a death, "" for nothing.
 * settings: some of what rank 0 has in force. */
#define DOCTOR_QUESTION "question"
#define DOCTOR_ANSWER "doctor-worker: "
int doctor_worker_main(const char *dir);

#endif

/* harness/doctor/doctor.h - `rollbench doctor`: what this machine can and cannot do, with
 * remedies. */
#ifndef HARNESS_DOCTOR_DOCTOR_H
#define HARNESS_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

int doctor_main(int argc, char **argv);

/* Print a finding: one aligned line. Only FAIL makes runs impossible; absent hardware is only
 * reported. */
enum finding { DOCTOR_OK, DOCTOR_WARN, DOCTOR_ABSENT, DOCTOR_FAIL };
void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Start a job with the command line of every job. text receives what it prints within
 * DOCTOR_DEADLINE_S; false: it took longer. */
struct mpirun_job;
enum { DOCTOR_DEADLINE_S = 30 };
bool doctor_start(const struct mpirun_job *job, char *text, size_t size);
/* The path of the program that loses a rank (harness/doctor/ulfm_probe.c). */
void doctor_probe_path(char *out, size_t size);

/* The checks of the MPI; each prints its own lines. false: runs are impossible. hosts: NULL: this
 * one; from: who names them; dir: a folder where runs would be. */
struct hosts;
bool doctor_transport(void);
bool doctor_hosts(const struct hosts *hosts, const char *from, const char *dir);
bool doctor_ulfm(const struct hosts *hosts, const char *dir);
void doctor_spawn(const struct hosts *hosts, const char *dir);
void doctor_detector(const char *dir);

/* The checks of this build and of the hardware; each prints its own lines. */
void doctor_build(void);
void doctor_topology(void);
void doctor_ranks(int np);
void doctor_meters(void);
void doctor_power(void);
void doctor_memory(void);
void doctor_constants(void);
void doctor_disk(const char *workdir);

#endif

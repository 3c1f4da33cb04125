/* harness/doctor.h - `rollbench doctor`: what this machine can and cannot do, with remedies. */
#ifndef HARNESS_DOCTOR_H
#define HARNESS_DOCTOR_H

int doctor_main(int argc, char **argv);

/* One finding. FAIL alone makes runs impossible; absent hardware is merely said. */
enum finding { DOCTOR_OK, DOCTOR_WARN, DOCTOR_ABSENT, DOCTOR_FAIL };
void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The checks that look at hardware; each prints its own lines. */
void doctor_topology(void);
void doctor_ranks(int np);
void doctor_papi(void);
void doctor_rapl(void);
void doctor_cpufreq(void);
void doctor_msr(void);
void doctor_memory(void);
void doctor_disk(void);

#endif

/* harness/doctor/doctor.h - `rollbench doctor`: what this machine can and cannot do, with remedies. */
#ifndef HARNESS_DOCTOR_DOCTOR_H
#define HARNESS_DOCTOR_DOCTOR_H

int doctor_main(int argc, char **argv);

/* Print a finding: one aligned line. Only FAIL makes runs impossible; absent hardware is only reported. */
enum finding { DOCTOR_OK, DOCTOR_WARN, DOCTOR_ABSENT, DOCTOR_FAIL };
void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The checks of this build and of the hardware; each prints its own lines. */
void doctor_build(void);
void doctor_topology(void);
void doctor_ranks(int np);
void doctor_meters(void);
void doctor_power(void);
void doctor_memory(void);
void doctor_disk(void);

#endif

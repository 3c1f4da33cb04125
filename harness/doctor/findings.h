/* harness/doctor/findings.h - how the doctor speaks: one aligned line a finding. */
#ifndef HARNESS_DOCTOR_FINDINGS_H
#define HARNESS_DOCTOR_FINDINGS_H

/* FAIL alone makes runs impossible; absent hardware is merely said. */
enum finding { DOCTOR_OK, DOCTOR_WARN, DOCTOR_ABSENT, DOCTOR_FAIL };

void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

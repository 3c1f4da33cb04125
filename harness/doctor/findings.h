/* harness/doctor/findings.h - the output of the doctor: one aligned line per finding. */
#ifndef HARNESS_DOCTOR_FINDINGS_H
#define HARNESS_DOCTOR_FINDINGS_H

/* Only FAIL makes runs impossible; absent hardware is only reported. */
enum finding { DOCTOR_OK, DOCTOR_WARN, DOCTOR_ABSENT, DOCTOR_FAIL };

void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

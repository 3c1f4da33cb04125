/* harness/doctor/doctor.h - `rollbench doctor`: what this machine can and cannot do, with remedies. */
#ifndef HARNESS_DOCTOR_DOCTOR_H
#define HARNESS_DOCTOR_DOCTOR_H

int doctor_main(int argc, char **argv);

/* The checks of the hardware; each prints its own lines. */
void doctor_topology(void);
void doctor_ranks(int np);
void doctor_meters(void);
void doctor_power(void);
void doctor_memory(void);
void doctor_disk(void);

#endif

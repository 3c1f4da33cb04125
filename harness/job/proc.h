/* harness/job/proc.h - what /proc tells of a process of this machine. */
#ifndef HARNESS_JOB_PROC_H
#define HARNESS_JOB_PROC_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROC_NAME = 16 };

struct proc_stat {
	char name[PROC_NAME]; /* of the program, or as the process has named itself */
	char state;           /* R, S, T, Z, ... */
	pid_t parent;
};

/* Read a file of /proc/PID as text, cut to what fits, with a zero behind it (which the text may
 * also contain). Returns its length; -1: there is no such process or file. */
ssize_t proc_read(pid_t pid, const char *name, char *out, size_t size);
/* false: there is no such process. */
bool proc_stat(pid_t pid, struct proc_stat *out);
/* The next process in an open /proc; 0: there is no other, or `list` is NULL. */
pid_t proc_next(DIR *list);

#endif

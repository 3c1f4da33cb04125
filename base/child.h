/* base/child.h - a program that a command runs in front, until it ends. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

/* Exit status of a command that is not there, as shells have it. */
enum { CHILD_NOT_FOUND = 127 };

/* Call body(ctx), which executes the program, in a child process; if it returns, the exit status is
 * CHILD_NOT_FOUND. A terminal sends Ctrl-C to both, and this process outlives it; SIGTERM and
 * SIGHUP are passed on. The program's exit status, 128 and the number of the signal that ended it,
 * or -1: no process could be made (errno). */
int child_run(void (*body)(void *ctx), void *ctx);
/* The last of these signals that came while a child ran; 0: none. */
int child_signal(void);

#endif

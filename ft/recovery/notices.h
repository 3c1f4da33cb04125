/* ft/recovery/notices.h - survivors are notified of a death without delay (private to ft/).
 *
 * The runtime of Open MPI notifies each process of a death through a TCP connection with the daemon
 * of the host. The daemon's end has Nagle's algorithm on: it holds a message back as long as the
 * one before is not acknowledged. A process that has sent something keeps its acknowledgements back
 * for up to 40 ms, in case it sends again (Linux, delayed acknowledgements). So a death within 40
 * ms of the start of a job could be reported that much later. The processes prevent this: they
 * acknowledge what they have received (docs/ulfm-notes.md, "When survivors are notified"). */
#ifndef FT_RECOVERY_NOTICES_H
#define FT_RECOVERY_NOTICES_H

/* The daemon's connection is among the first that MPI_Init opens. */
enum { NOTICES_MAX = 8 };

struct notices {
	int count;
	int fd[NOTICES_MAX]; /* the MPI's, which keeps them open */
};

/* Find the first TCP connections of this process, once MPI is initialised. To acknowledge others
 * than the daemon's does no harm. If there are none, for instance with another runtime,
 * notices_acknowledge() has no effect. */
void notices_find(struct notices *n);
/* Acknowledge what has been received, and let the kernel delay no acknowledgement until the process
 * sends again. Never waits. */
void notices_acknowledge(const struct notices *n);

#endif

/* libelc: event-logging checkpoints for plain MPI programs (event-logging-checkpoint paper;
 * docs/event-logging.md).
 *
 * A program registers its state, and it says where that state is complete (safe points). Each
 * process takes its checkpoint at a safe point of its own; there is no barrier. The library
 * intercepts the MPI calls, logs the envelopes of messages, and keeps with the checkpoints the
 * messages that cross them. When the job has died, the same command starts it again, and it goes on
 * from its newest committed line.
 *
 *      MPI_Init(&argc, &argv);
 *      ...                                     set-up: communicators, constant data
 *      elc_protect(1, &step, sizeof step);
 *      elc_protect(2, field, bytes);
 *      elc_restarted();                        a restart: step and field have their old values
 *      for (; step < steps; step++) {
 *              if (step % 100 == 0)
 *                      elc_checkpoint();
 *              else
 *                      elc_safe_point();
 *              ...                             messages
 *      }
 *      MPI_Finalize();
 *
 * The environment variable ELC_DIR names the folder of the checkpoints, which all processes must
 * see. Without it, the library does nothing: MPI calls pass through, and the functions here return
 * 0.
 *
 * Every error ends the job with a message that begins with "elc: rank N:". Nothing here may be
 * called by two threads at the same time, nor beside a call of MPI. */
#ifndef ELC_H
#define ELC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Register a piece of the program's state: id is any number of the program's own, and the size is
 * the same in every run. The memory stays the program's. With an id that is known, address and size
 * are replaced. To be called between MPI_Init() and elc_restarted(); later, only for an id that is
 * known, and with another size only if there is elc_fit(). */
void elc_protect(int id, void *state, size_t bytes);

/* For programs whose pieces of state change their sizes. Before a line is read, elc_restarted()
 * calls fit(context, id, bytes, n) with the pieces in the line, in the order in which they were
 * registered. It makes room and calls elc_protect() with the new addresses and sizes; what was in
 * the pieces is lost. It returns 0, or another number if the program can have no such state; then
 * the line is refused. To be called between MPI_Init() and elc_restarted(). */
void elc_fit(int (*fit)(void *context, const int *id, const size_t *bytes, size_t n),
	     void *context);

/* The end of the set-up; all processes call it once. Every message of the set-up must be received
 * by then, and no request may be active. Returns 0 at the beginning of a program, and the number of
 * the line otherwise: then all registered state was read from it. Communicators are made before
 * this call, since a restarted program makes them again. */
long elc_restarted(void);

/* The registered state is complete here: if the program continued at this place with this state
 * alone, its result would be the same. If a line is due, the process takes its checkpoint now: the
 * state is copied, and may change when this returns. With active requests it does not, and the next
 * safe point is tried. Returns 1 if the process has taken its checkpoint, else 0. */
int elc_safe_point(void);

/* A safe point at which the program wants a line. If one is in progress, this is an ordinary safe
 * point; a line is in progress until its files are written, which happens while the program goes
 * on. Any process may call it, also several at the same time: they begin the same line. Returns as
 * elc_safe_point(). */
int elc_checkpoint(void);

#ifdef __cplusplus
}
#endif

#endif

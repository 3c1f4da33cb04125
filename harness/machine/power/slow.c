#include "harness/machine/power/slow.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SLICE_NS = 1000000 }; /* of CPU time; the kernel notices its end at its next tick */

static const double STOP_MOST_S = 0.1; /* one stop lasts no longer */

/* Only functions that are safe in signal handlers. */
static void stop(int sig, siginfo_t *info, void *context)
{
	struct slow *s = info->si_value.sival_ptr;
	double seconds = (SLOW_SHARE - 1) * (clock_thread() - s->used);
	struct timespec pause;
	int error = errno;

	(void)sig, (void)context;
	if (!s->on)
		return;
	seconds = seconds < 0 ? 0 : seconds > STOP_MOST_S ? STOP_MOST_S : seconds;
	pause = (struct timespec){ (time_t)seconds,
				   (long)(1e9 * (seconds - (double)(time_t)seconds)) };
	nanosleep(&pause, NULL);
	s->used = clock_thread();
	errno = error;
}

static bool begin(struct slow *s)
{
	const struct sigaction action = { .sa_sigaction = stop,
					  .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct itimerspec slices = { { 0, SLICE_NS }, { 0, SLICE_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM };

	event.sigev_value.sival_ptr = s;
	event._sigev_un._tid = gettid();
	if (sigaction(SIGVTALRM, &action, NULL) != 0 ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &s->timer) != 0)
		return false;
	s->used = clock_thread();
	s->on = true;
	if (timer_settime(s->timer, 0, &slices, NULL) == 0)
		return true;
	s->on = false;
	timer_delete(s->timer);
	return false;
}

bool slow_set(struct slow *s, bool on)
{
	if (on == s->on)
		return true;
	if (on)
		return begin(s);
	s->on = false; /* a signal that is on its way finds it so; its handler stays */
	timer_delete(s->timer);
	return true;
}

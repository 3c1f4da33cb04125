/* What is left behind by a process that does not reach MPI_Finalize(). Nothing here allocates
 * memory or uses stdio, since a signal handler calls it. */
#include "profile/preload/preload.h"

#include "base/whole.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Text on its way to a file. */
struct sheet {
	int fd;
	size_t used;
	char text[1 << 14];
};

static atomic_flag spilled = ATOMIC_FLAG_INIT;
static pid_t owner; /* a child that the process has forked leaves nothing */

/* What cannot be written is lost: the process ends, and nobody could be told. */
static void flush(struct sheet *s)
{
	write_whole(s->fd, s->text, s->used);
	s->used = 0;
}

static void put(struct sheet *s, const char *text)
{
	const size_t n = strlen(text);

	if (s->used + n > sizeof s->text)
		flush(s);
	memcpy(s->text + s->used, text, n);
	s->used += n;
}

static void put_number(struct sheet *s, int64_t n)
{
	char digits[24], *at = digits + sizeof digits - 1;
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;

	*at = '\0';
	do
		*--at = (char)('0' + left % 10);
	while ((left /= 10) > 0);
	if (n < 0)
		*--at = '-';
	put(s, at);
}

static void put_row(struct sheet *s, const struct cell *c, bool message)
{
	put_number(s, key_phase(c->key));
	put(s, ",");
	put(s, message ? "p2p" : kind_names[key_kind(c->key)]);
	put(s, ",");
	put_number(s, recorder.rank);
	put(s, ",");
	if (message)
		put_number(s, key_rank(c->key));
	put(s, ",");
	put_number(s, c->count);
	put(s, ",");
	put_number(s, c->bytes);
	put(s, ",");
	if (!message)
		put_number(s, key_size(c->key));
	put(s, "\n");
}

static void put_rows(struct sheet *s)
{
	const struct cell *m = recorder.messages.cell, *m_end = m + recorder.messages.used;
	const struct cell *c = recorder.collectives.cell, *c_end = c + recorder.collectives.used;

	while (m < m_end || c < c_end) {
		const bool message =
			m < m_end && (c == c_end || key_phase(m->key) <= key_phase(c->key));

		put_row(s, message ? m++ : c++, message);
	}
}

static void put_file(struct sheet *s, const char *reason)
{
	put(s, "# rollbench-profile-1\n# np: ");
	put_number(s, recorder.np);
	put(s, "\n# outside_messages: ");
	put_number(s, recorder.outside);
	put(s, "\n# outside_bytes: ");
	put_number(s, recorder.outside_bytes);
	put(s, "\n# one_sided_calls: ");
	put_number(s, recorder.one_sided);
	put(s, "\n# one_sided_bytes: ");
	put_number(s, recorder.one_sided_bytes);
	put(s, "\n# complete: no, rank ");
	put_number(s, recorder.rank);
	put(s, " ");
	put(s, reason);
	put(s, "\nphase,kind,source,destination,count,bytes,size\n");
	put_rows(s);
	put(s, "# end of ");
	put_number(s, (int64_t)(recorder.messages.used + recorder.collectives.used));
	put(s, " rows\n");
	flush(s);
}

/* FILE.rank-N, and what it is called while it is written. */
static void set_name(struct sheet *name, const char *behind)
{
	name->used = 0;
	put(name, recorder.path);
	put(name, ".rank-");
	put_number(name, recorder.rank);
	put(name, behind);
	name->text[name->used] = '\0';
}

void spill(const char *reason)
{
	static struct sheet sheet, name, fresh;

	if (!recorder.on || getpid() != owner || atomic_flag_test_and_set(&spilled))
		return;
	recorder.on = false;
	set_name(&name, "");
	set_name(&fresh, ".new");
	sheet.fd = open(fresh.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (sheet.fd < 0)
		return;
	table_finish(&recorder.messages);
	table_finish(&recorder.collectives);
	put_file(&sheet, reason);
	close(sheet.fd);
	rename(fresh.text, name.text);
}

static const int caught[] = { SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2,
			      SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGABRT };
static struct sigaction before[sizeof caught / sizeof *caught];

/* Write, and then let the signal do what it did before. */
static void on_signal(int sig)
{
	static char reason[] = "died of signal 00";

	reason[sizeof reason - 3] = (char)('0' + sig / 10);
	reason[sizeof reason - 2] = (char)('0' + sig % 10);
	spill(reason);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		if (caught[i] == sig)
			sigaction(sig, &before[i], NULL);
	raise(sig);
}

static void exited(void)
{
	spill("exited without MPI_Finalize");
}

/* After all functions that the program has given to atexit(), since one of them may call
 * MPI_Finalize(). */
__attribute__((destructor)) static void at_the_end(void)
{
	exited();
}

/* These two call no function of atexit(), and no destructor. */
EXPORT void _exit(int status)
{
	exited();
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

void spill_watch(void)
{
	const struct sigaction act = { .sa_handler = on_signal };

	owner = getpid();
	at_quick_exit(exited);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
		/* MPI may have set handlers for crashes. A handler of the program for others may
		 * mean that it lives on. */
		const bool crash = caught[i] == SIGSEGV || caught[i] == SIGBUS ||
				   caught[i] == SIGFPE || caught[i] == SIGILL ||
				   caught[i] == SIGABRT;

		sigaction(caught[i], NULL, &before[i]);
		if (crash || before[i].sa_handler == SIG_DFL)
			sigaction(caught[i], &act, NULL);
	}
}

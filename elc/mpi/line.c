/* Lines: a cut at a safe point, the files, the two phases of the commit. */
#include "elc/mpi/state.h"

#include "base/clock.h"
#include "elc/elc.h"
#include "elc/files/clean.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct elc_sums_of_rank own;     /* of the files of the line in progress */
static struct elc_sums_of_rank *of_all; /* at rank 0 */
static double interval = -1, last;      /* seconds (ELC_INTERVAL); when the last line was committed or looked for */

/* Rank 0 looks at the clock, where the user asks for that. */
static bool time_is_up(void)
{
	if (interval < 0) {
		const char *asked = getenv("ELC_INTERVAL");
		char *end = NULL;

		interval = asked && *asked ? strtod(asked, &end) : 0;
		if ((end && *end) || !(interval >= 0))
			elc_fatal("ELC_INTERVAL=%s: this must be seconds between lines, or 0 for lines that the program asks for only", asked);
		last = clock_monotonic();
	}
	return elc.rank == 0 && interval > 0 && clock_monotonic() - last >= interval;
}

static struct elc_owner owner_of(int64_t line)
{
	struct elc_owner who = elc.owner;

	who.line = line;
	return who;
}

/* The state: how many regions, their numbers and sizes, and what is in them. */
static void write_state(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	char why[ELC_TEXT];
	size_t n;
	struct elc_region *region = elc_regions(&n);
	struct elc_piece *piece = malloc((n + 2) * sizeof *piece);
	uint64_t *table = malloc((2 * n + 2) * sizeof *table);

	if (!piece || !table)
		elc_check(-1);
	table[0] = n;
	table[1] = elc_comms_sum();
	for (size_t i = 0; i < n; i++) {
		table[2 + 2 * i] = (uint64_t)region[i].id;
		table[3 + 2 * i] = region[i].bytes;
		piece[i + 1] = (struct elc_piece){ region[i].state, region[i].bytes };
	}
	piece[0] = (struct elc_piece){ table, (2 * n + 2) * sizeof *table };
	if (elc_file_write(elc.dir, &who, ELC_FILE_STATE, piece, (int)n + 1, &own.state, why))
		elc_fatal("%s", why);
	free(piece);
	free(table);
}

static void count_messages(void)
{
	const struct elc_messages *caught = &elc.process.caught;

	for (size_t i = 0; i < caught->n; i++) {
		elc.counts.transit += caught->m[i]->chosen;
		elc.counts.transit_bytes += caught->m[i]->chosen ? (int64_t)caught->m[i]->bytes : 0;
	}
	for (int r = 0; r < elc.np; r++)
		elc.counts.orphans += elc_set_total(&elc.process.with[r].orphan);
	for (const struct elc_collectives *c = elc.process.collectives; c; c = c->next)
		elc.counts.results += (int64_t)c->n;
}

static void write_messages(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	char why[ELC_TEXT];
	size_t bytes;
	void *part = elc_process_pack(&elc.process, &bytes);

	if (!part)
		elc_check(-1);
	count_messages();
	if (elc_file_write(elc.dir, &who, ELC_FILE_MESSAGES, &(struct elc_piece){ part, bytes }, 1, &own.messages, why))
		elc_fatal("%s", why);
	free(part);
}

static void cut(void)
{
	const int64_t line = elc_line_number(&elc.process.line);
	double begin;

	elc.counts.cut_at = clock_monotonic();
	elc_moment("cut", line);
	write_state(line);
	elc.counts.write += clock_monotonic() - elc.counts.cut_at;
	elc_moment("saved", line);
	begin = clock_monotonic();
	elc_check(elc_process_cut(&elc.process));
	elc.counts.identify += clock_monotonic() - begin;
	for (int r = 0; r < elc.np; r++) {
		if (r != elc.rank)
			elc_tell_request(r, line, elc_process_request(&elc.process, r));
		if (r == elc.np / 2)
			elc_moment("asking", line);
	}
	elc_moment("asked", line);
}

static int safe_point(bool wanted)
{
	struct elc_line *l = &elc.process.line;
	bool due;

	if (elc.life == ELC_OFF)
		return 0;
	if (elc.life == ELC_SETUP)
		elc_fatal("elc_safe_point() before elc_restarted(): there is no state yet");
	elc.safe_points++;
	elc_moment("step", l->committed);
	elc_progress();
	due = elc_line_due(l) || ((wanted || time_is_up()) && elc_line_may_begin(l));
	if (!due)
		return 0;
	if (elc_requests_active()) {
		elc.postponed++;
		return 0;
	}
	cut();
	elc_progress();
	return 1;
}

EXPORT int elc_safe_point(void)
{
	return safe_point(false);
}

EXPORT int elc_checkpoint(void)
{
	return safe_point(true);
}

/* This process has all that belongs to its part: the first phase. */
static void complete(void)
{
	const int64_t line = elc_line_number(&elc.process.line);
	const double begin = clock_monotonic();

	elc_moment("identified", line);
	write_messages(line);
	elc.counts.write += clock_monotonic() - begin;
	elc_check(elc_process_completed(&elc.process));
	elc_moment("complete", line);
	if (elc.rank > 0)
		elc_tell_complete(line, &own);
	else
		elc_line_reported(0, line, &own);
}

void elc_line_advance(void)
{
	struct elc_pending *pending;
	size_t n;

	if (elc.life != ELC_ON || elc.process.line.phase != ELC_CUT)
		return;
	elc_take_messages();
	n = elc_requests_pending(&pending);
	if (elc_process_ready(&elc.process, pending, n))
		complete();
	else if (elc.process.unordered >= 0)
		elc_fatal("ELC_PROTOCOL=markers: the messages of rank %d have not come in the order in which they were sent with its marker, so "
			  "line %lld would lose some or have some twice; use ELC_PROTOCOL=events or tagging for this program",
			  elc.process.unordered, (long long)elc_line_number(&elc.process.line));
}

/* Files of a line that no restart needs any more; what is not there need not be removed. */
static void remove_files(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	char path[ELC_PATH];

	elc_file_path(path, elc.dir, &who, ELC_FILE_STATE);
	unlink(path);
	elc_file_path(path, elc.dir, &who, ELC_FILE_MESSAGES);
	unlink(path);
	elc_file_folder(path, elc.dir, line);
	rmdir(path); /* the last process succeeds */
}

/* Rank 0: all parts are in stable storage. The line before stays, and the one before that goes: first its commit. */
static void commit(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	char why[ELC_TEXT];

	elc_moment("reported", line);
	if (elc_commit_write(elc.dir, &who, of_all, why))
		elc_fatal("%s", why);
	elc_moment("committed", line);
	if (elc_commit_remove(elc.dir, line - 2))
		elc_fatal("%s: the commit of line %lld cannot be removed", elc.dir, (long long)line - 2);
	for (int r = 1; r < elc.np; r++) {
		elc_tell_commit(r, line);
		if (r == elc.np / 2)
			elc_moment("announcing", line);
	}
	elc_line_committed(line);
}

void elc_line_reported(int from, int64_t number, const struct elc_sums_of_rank *sums)
{
	if (!of_all)
		of_all = calloc((size_t)elc.np, sizeof *of_all);
	if (!of_all)
		elc_check(-1);
	if (elc_line_report(&elc.process.line, from, number))
		elc_check(-2);
	of_all[from] = *sums;
	if (elc_line_all_reported(&elc.process.line))
		commit(number);
}

void elc_line_committed(int64_t number)
{
	elc_check(elc_process_commit(&elc.process, number));
	elc.counts.committed++;
	elc.counts.line += clock_monotonic() - elc.counts.cut_at;
	last = clock_monotonic();
	elc_moment("known", number);
	if (number > 2)
		remove_files(number - 2);
}

/* The program has ended, and no process writes any more: its lines have done what they were for, unless the user wants them (ELC_KEEP=1). */
void elc_line_end(void)
{
	const char *keep = getenv("ELC_KEEP");
	char why[ELC_TEXT];

	if (keep && *keep && *keep != '0')
		return;
	if (elc.rank == 0 && elc_clean(elc.dir, 0, -1, why))
		elc_fatal("%s", why);
	free(of_all);
	of_all = NULL;
}

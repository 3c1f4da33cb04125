/* Lines: a cut at a safe point, the files, the two phases of the commit. */
#include "elc/mpi/state.h"

#include "base/clock.h"
#include "base/text.h"
#include "elc/elc.h"
#include "elc/files/beside.h"
#include "elc/files/clean.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct elc_sums_of_rank own;     /* of the files of the line in progress */
static struct elc_sums_of_rank *of_all; /* at rank 0 */
/* seconds (ELC_INTERVAL); when the last line was committed or looked for */
static double interval = -1, last;

/* How far the files of the line in progress are. They are written one after the other, beside the
 * computation or not. */
static enum { NOTHING, STATE, SAVED, MESSAGES } part;
static struct elc_beside writer;
static bool beside;
/* safe points that a file takes if the writer is held; the one at which this file is done */
static int64_t late, until;
static void *messages; /* that are being written */
/* lines at which a message may be in transit (ELC_KEEP_INTERVALS) */
static int64_t keep = INT64_MAX;

/* ELC_TEST_LATE: a number per rank; the last one is also that of all ranks behind it. */
static void read_late(const char *text)
{
	const char *at = text;
	int64_t number;

	if (!text || !*text)
		return;
	for (int rank = 0; *at; rank++) {
		if (!text_digits(&at, &number) || (*at && *at != ',') || (*at && !at[1]))
			elc_fatal("ELC_TEST_LATE=%s: this must be numbers of safe points, with "
				  "commas between",
				  text);
		if (rank <= elc.rank)
			late = number;
		at += *at == ',';
	}
	writer.held = true;
}

static void read_keep(const char *text)
{
	const char *at = text;

	if (text && *text && (!text_digits(&at, &keep) || *at || keep < 1))
		elc_fatal("ELC_KEEP_INTERVALS=%s: this must be the number of lines, at least 1, at "
			  "which a message may be in transit",
			  text);
}

void elc_line_begin(void)
{
	const char *asked = getenv("ELC_WRITE");

	beside = !asked || !*asked || strcmp(asked, "beside") == 0;
	if (!beside && strcmp(asked, "waiting"))
		elc_fatal("ELC_WRITE=%s: this must be beside or waiting", asked);
	read_keep(getenv("ELC_KEEP_INTERVALS"));
	read_late(getenv("ELC_TEST_LATE"));
}

/* Rank 0 looks at the clock, where the user asks for that. */
static bool time_is_up(void)
{
	if (interval < 0) {
		const char *asked = getenv("ELC_INTERVAL");
		const char *end = asked;

		interval = 0;
		if (asked && *asked && (!text_real(&end, &interval) || *end))
			elc_fatal("ELC_INTERVAL=%s: this must be seconds between lines, or 0 for "
				  "lines that the program asks for only",
				  asked);
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

/* Can the file be written beside the computation, from a copy in `body`? Otherwise the program
 * waits for it, which is said once. */
static bool write_beside(const struct elc_owner *who, enum elc_kind kind, const void *body,
			 size_t bytes)
{
	static bool said;

	until = elc.safe_points + late;
	if (body &&
	    elc_beside_start(&writer, elc.dir, who, kind, (struct elc_piece){ body, bytes }) == 0)
		return true;
	if (!said)
		elc_say("%s: line %lld is written while the program waits (ELC_WRITE=waiting), and "
			"so are others like it",
			body ? "no thread can be started" : "no memory for a copy of the state",
			(long long)who->line);
	said = true;
	return false;
}

static void write_waiting(const struct elc_owner *who, enum elc_kind kind,
			  const struct elc_piece *piece, int n, uint32_t *crc)
{
	const double begin = clock_monotonic();
	char why[ELC_TEXT];

	if (elc_file_write(elc.dir, who, kind, piece, n, crc, why))
		elc_fatal("%s", why);
	elc.counts.write += clock_monotonic() - begin;
}

/* A copy of all pieces, one behind the other, in memory that is kept from line to line; NULL: there
 * is no memory. */
static void *copy_of(const struct elc_piece *piece, size_t n, size_t *bytes)
{
	char *copy, *at;

	*bytes = 0;
	for (size_t i = 0; i < n; i++)
		*bytes += piece[i].bytes;
	copy = at = elc_beside_room(&writer, *bytes);
	for (size_t i = 0; copy && i < n; i++) {
		if (piece[i].bytes)
			memcpy(at, piece[i].data, piece[i].bytes);
		at += piece[i].bytes;
	}
	return copy;
}

/* The state (elc/mpi/state.h). The program may change it when this returns. */
static void write_state(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	size_t n, bytes = 0;
	struct elc_region *region = elc_regions(&n);
	struct elc_piece *piece = malloc((n + 2) * sizeof *piece);
	uint64_t *table = malloc(elc_state_head(n));
	void *copy;

	if (!piece || !table)
		elc_check(-1);
	table[ELC_STATE_REGIONS] = n;
	table[ELC_STATE_COMMS] = elc.comms_sum;
	table[ELC_STATE_SAFE_POINTS] = (uint64_t)elc.safe_points;
	for (size_t i = 0; i < n; i++) {
		table[ELC_STATE_REGION + 2 * i] = (uint64_t)region[i].id;
		table[ELC_STATE_REGION + 2 * i + 1] = region[i].bytes;
		piece[i + 1] = (struct elc_piece){ region[i].state, region[i].bytes };
	}
	piece[0] = (struct elc_piece){ table, elc_state_head(n) };
	copy = beside ? copy_of(piece, n + 1, &bytes) : NULL;
	part = STATE;
	if (!beside || !write_beside(&who, ELC_FILE_STATE, copy, bytes))
		write_waiting(&who, ELC_FILE_STATE, piece, (int)n + 1, &own.state);
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

/* The line would need a message for longer than the user allows. */
static void check_kept(int64_t line)
{
	const struct elc_message *m = elc_process_kept_longer(&elc.process, keep);

	if (m)
		elc_fatal(
			"line %lld: a message from rank %d with tag %d on communicator %u would be in "
			"transit at %lld lines, and ELC_KEEP_INTERVALS=%lld allows fewer; allow "
			"more, take lines less often, or receive it earlier",
			(long long)line, m->peer, elc_key_tag(m->key), elc_key_comm(m->key),
			(long long)m->lines + 1, (long long)keep);
}

static void write_messages(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	size_t bytes;

	messages = elc_process_pack(&elc.process, &bytes);
	if (!messages)
		elc_check(-1);
	check_kept(line);
	count_messages();
	part = MESSAGES;
	if (!beside || !write_beside(&who, ELC_FILE_MESSAGES, messages, bytes))
		write_waiting(&who, ELC_FILE_MESSAGES, &(struct elc_piece){ messages, bytes }, 1,
			      &own.messages);
}

/* Is the file in stable storage whose writing was begun? In MPI_Finalize(), nothing is computed
 * that could go on meanwhile. */
static bool is_written(uint32_t *crc)
{
	struct elc_beside_result result;

	if (!writer.running)
		return true;
	if (!elc.ending && !(writer.held ? elc.safe_points >= until : elc_beside_done(&writer)))
		return false;
	elc_beside_end(&writer, &result);
	if (result.rc)
		elc_fatal("%s", result.why);
	elc.counts.write += result.seconds;
	*crc = result.crc;
	return true;
}

static void look_at_state(void)
{
	if (part != STATE || !is_written(&own.state))
		return;
	part = SAVED;
	elc_moment("saved", elc_line_number(&elc.process.line));
}

static void cut(void)
{
	const int64_t line = elc_line_number(&elc.process.line);
	double begin;

	elc.counts.cut_at = clock_monotonic();
	elc_moment("cut", line);
	write_state(line);
	elc.counts.stopped += clock_monotonic() - elc.counts.cut_at;
	look_at_state();
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
	elc_moment("start", l->committed);
	elc_progress();
	due = elc_line_due(l) || ((wanted || time_is_up()) && elc_line_may_begin(l));
	if (!due)
		return 0;
	if (elc_requests_active() || elc.process.matched) {
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

/* All that belongs to the part of this process is known. */
static void identified(void)
{
	const int64_t line = elc_line_number(&elc.process.line);
	double begin;

	elc_moment("identified", line);
	begin = clock_monotonic();
	write_messages(line);
	elc.counts.stopped += clock_monotonic() - begin;
	elc_check(elc_process_completed(&elc.process));
}

/* And it is in stable storage: the first phase. */
static void complete(void)
{
	const int64_t line = elc_line_number(&elc.process.line);

	part = NOTHING;
	free(messages);
	messages = NULL;
	elc_moment("complete", line);
	if (elc.rank > 0)
		elc_tell_complete(line, &own);
	else
		elc_line_reported(0, line, &own);
}

static void look_at_messages(void)
{
	struct elc_pending *pending;
	size_t n;

	elc_take_messages();
	n = elc_requests_pending(&pending);
	if (elc_process_ready(&elc.process, pending, n) && part == SAVED)
		identified();
	else if (elc.process.unordered >= 0)
		elc_fatal(
			"ELC_PROTOCOL=markers: the messages of rank %d have not come in the order "
			"in which they were sent with its marker, so line %lld would lose some or "
			"have some twice; use ELC_PROTOCOL=events or tagging for this program",
			elc.process.unordered, (long long)elc_line_number(&elc.process.line));
}

void elc_line_advance(void)
{
	if (!elc_watching())
		return;
	look_at_state();
	if (elc.process.line.phase == ELC_CUT)
		look_at_messages();
	if (part == MESSAGES && is_written(&own.messages))
		complete();
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

/* Rank 0: all parts are in stable storage. The line before stays, and the one before that goes:
 * first its commit. */
static void commit(int64_t line)
{
	const struct elc_owner who = owner_of(line);
	char why[ELC_TEXT];
	double begin;

	elc_moment("reported", line);
	begin = clock_monotonic();
	if (elc_commit_write(elc.dir, &who, of_all, why))
		elc_fatal("%s", why);
	elc.counts.stopped += clock_monotonic() - begin;
	elc_moment("committed", line);
	if (elc_commit_remove(elc.dir, line - 2))
		elc_fatal("%s: the commit of line %lld cannot be removed", elc.dir,
			  (long long)line - 2);
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
	if (number > 2) {
		remove_files(number - 2);
		elc.counts.stopped += clock_monotonic() - last;
	}
}

/* The program has ended, and no process writes any more: its lines have done what they were for,
 * unless the user wants them (ELC_KEEP=1). */
void elc_line_end(void)
{
	const char *keep = getenv("ELC_KEEP");
	char why[ELC_TEXT];

	if (elc.rank == 0 && !(keep && *keep && *keep != '0') && elc_clean(elc.dir, 0, -1, why))
		elc_fatal("%s", why);
	free(of_all);
	of_all = NULL;
	elc_beside_free(&writer);
}

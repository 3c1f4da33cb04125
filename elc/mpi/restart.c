/* Registered state, and the way back to a committed line. */
#include "elc/mpi/state.h"

#include "elc/elc.h"
#include "elc/files/clean.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct elc_region *regions;
static size_t count;
/* elc_fit(); NULL: sizes never change */
static int (*fit)(void *context, const int *id, const size_t *bytes, size_t n);
static void *fit_context;

struct elc_region *elc_regions(size_t *n)
{
	*n = count;
	return regions;
}

EXPORT void elc_protect(int id, void *state, size_t bytes)
{
	struct elc_region *r = NULL;

	if (elc.life == ELC_OFF)
		return;
	for (size_t i = 0; i < count; i++)
		if (regions[i].id == id)
			r = &regions[i];
	if (elc.life == ELC_ON && !r)
		elc_fatal("elc_protect(%d) after elc_restarted(): its state could not be restored",
			  id);
	if (elc.life == ELC_ON && r->bytes != bytes && !fit)
		elc_fatal("elc_protect(%d) changes the size after elc_restarted(): a restarted "
			  "program would not know it; it needs elc_fit()",
			  id);
	if (!r) {
		r = realloc(regions, (count + 1) * sizeof *regions);
		if (!r)
			elc_check(-1);
		regions = r;
		r = &regions[count++];
	}
	*r = (struct elc_region){ id, bytes, state };
}

EXPORT void elc_fit(int (*make_room)(void *context, const int *id, const size_t *bytes, size_t n),
		    void *context)
{
	if (elc.life == ELC_ON)
		elc_fatal("elc_fit() after elc_restarted(): the line was read without it");
	fit = make_room;
	fit_context = context;
}

/* A line while it is looked at: nothing of it is used before all processes have found it good. */
struct found {
	struct elc_owner who;
	char *state, *messages;
	size_t state_bytes, messages_bytes;
	char why[ELC_TEXT];
};

static void forget(struct found *f)
{
	free(f->state);
	free(f->messages);
	f->state = f->messages = NULL;
}

static uint64_t number_at(const char *state, size_t index)
{
	uint64_t number;

	memcpy(&number, state + index * sizeof number, sizeof number);
	return number;
}

/* The program makes room for the sizes in the line, if it can change sizes. */
static bool made_to_fit(struct found *f)
{
	int *id;
	size_t *bytes;
	bool done;

	if (!fit)
		return true;
	id = malloc((count + 1) * sizeof *id);
	bytes = malloc((count + 1) * sizeof *bytes);
	if (!id || !bytes)
		elc_check(-1);
	for (size_t i = 0; i < count; i++) {
		id[i] = (int)number_at(f->state, ELC_STATE_REGION + 2 * i);
		bytes[i] = number_at(f->state, ELC_STATE_REGION + 2 * i + 1);
	}
	done = fit(fit_context, id, bytes, count) == 0;
	if (!done)
		snprintf(f->why, sizeof f->why,
			 "the program cannot have the sizes of state of line %lld",
			 (long long)f->who.line);
	free(id);
	free(bytes);
	return done;
}

/* Are these the regions and communicators of this program? */
static bool fits(struct found *f)
{
	size_t bytes = elc_state_head(count);

	if (f->state_bytes < elc_state_head(0) || number_at(f->state, ELC_STATE_REGIONS) != count ||
	    f->state_bytes < bytes) {
		snprintf(f->why, sizeof f->why,
			 "the state of line %lld has other registered regions than the %zu of this "
			 "program",
			 (long long)f->who.line, count);
		return false;
	}
	if (number_at(f->state, ELC_STATE_COMMS) != elc_comms_sum()) {
		snprintf(f->why, sizeof f->why,
			 "line %lld is of a program with other communicators at elc_restarted()",
			 (long long)f->who.line);
		return false;
	}
	if (!made_to_fit(f))
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint64_t id = number_at(f->state, ELC_STATE_REGION + 2 * i),
			       size = number_at(f->state, ELC_STATE_REGION + 2 * i + 1);

		if (id != (uint64_t)regions[i].id || size != regions[i].bytes) {
			snprintf(f->why, sizeof f->why,
				 "region %zu of line %lld is %lld with %" PRIu64
				 " bytes, and %lld with %" PRIu64 " bytes in this program",
				 i, (long long)f->who.line, (long long)id, size,
				 (long long)regions[i].id, regions[i].bytes);
			return false;
		}
		bytes += size;
	}
	if (bytes != f->state_bytes)
		snprintf(f->why, sizeof f->why,
			 "the state of line %lld has %zu bytes, and this program's has %zu",
			 (long long)f->who.line, f->state_bytes, bytes);
	return bytes == f->state_bytes;
}

static bool look_at(struct found *f, int64_t line)
{
	struct elc_sums_of_rank *sums = calloc((size_t)elc.np, sizeof *sums), own;

	if (!sums)
		elc_check(-1);
	*f = (struct found){ .who = elc.owner };
	f->who.line = line;
	if (elc_commit_read(elc.dir, &f->who, sums, f->why)) {
		free(sums);
		return false;
	}
	own = sums[elc.rank];
	free(sums);
	f->state =
		elc_file_read(elc.dir, &f->who, ELC_FILE_STATE, own.state, &f->state_bytes, f->why);
	if (!f->state || !fits(f))
		return false;
	f->messages = elc_file_read(elc.dir, &f->who, ELC_FILE_MESSAGES, own.messages,
				    &f->messages_bytes, f->why);
	return f->messages;
}

/* The newest line with a commit, as rank 0 sees the folder. */
static int64_t newest_below(int64_t below)
{
	int64_t line = elc.rank == 0 ? elc_commit_newest(elc.dir, below) : 0;

	if (line < 0)
		elc_fatal("ELC_DIR=%s: this folder cannot be read: %s; make it first, where all "
			  "processes see it",
			  elc.dir, strerror(errno));
	PMPI_Bcast(&line, 1, MPI_INT64_T, 0, elc.control);
	return line;
}

/* Whoever has orphans tells their senders. */
static void expect_orphans(void)
{
	struct elc_set *orphan = calloc((size_t)elc.np, sizeof *orphan),
		       *of_me = calloc((size_t)elc.np, sizeof *of_me);
	elc_key key;

	if (!orphan || !of_me)
		elc_check(-1);
	for (int r = 0; r < elc.np; r++)
		orphan[r] = elc.process.with[r].orphan;
	elc_exchange_sets(orphan, of_me);
	for (int r = 0; r < elc.np; r++) {
		const int rc = elc_process_expect(&elc.process, r, &of_me[r], &key);

		if (rc == -2)
			elc_fatal("line %lld: rank %d has received messages with tag %d on "
				  "communicator %u that no checksum is kept of",
				  (long long)elc.process.line.committed, r, elc_key_tag(key),
				  elc_key_comm(key));
		elc_check(rc);
		elc_set_free(&of_me[r]);
	}
	free(orphan);
	free(of_me);
}

static void use(const struct found *f)
{
	const char *from = f->state + elc_state_head(count);

	/* the program comes to the safe point of its cut again */
	elc.safe_points = (int64_t)number_at(f->state, ELC_STATE_SAFE_POINTS) - 1;
	for (size_t i = 0; i < count; i++) {
		if (regions[i].bytes)
			memcpy(regions[i].state, from, regions[i].bytes);
		from += regions[i].bytes;
	}
	elc_process_free(&elc.process);
	elc_check(elc_process_init(&elc.process, elc.np, elc.rank, elc.process.protocol,
				   elc.process.form, f->who.line));
	elc_comms_count();
	if (elc_process_unpack(&elc.process, f->messages, f->messages_bytes))
		elc_fatal("the messages of line %lld cannot be read, although their checksum "
			  "is right",
			  (long long)f->who.line);
	expect_orphans();
}

/* Files of refused lines will be replaced when the next line gets their number, so these lines must
 * not count then. What lines that were never committed have left behind goes, too. */
static void tidy(int64_t line, int64_t newest)
{
	char why[ELC_TEXT];

	if (elc.rank > 0)
		return;
	for (; newest > line; newest = elc_commit_newest(elc.dir, newest))
		if (elc_commit_refuse(elc.dir, newest))
			elc_fatal("%s: the commit of line %lld cannot be renamed: %s", elc.dir,
				  (long long)newest, strerror(errno));
	if (elc_clean(elc.dir, line - 1, line, why))
		elc_fatal("%s", why);
}

int64_t elc_restore(void)
{
	const int64_t newest = newest_below(INT64_MAX);
	int64_t line = newest;
	int all = 0;

	for (; line > 0 && !all; line = all ? line : newest_below(line)) {
		struct found f;
		int good = look_at(&f, line);

		if (!good)
			elc_say("line %lld is refused: %s", (long long)line, f.why);
		PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, elc.control);
		if (all)
			use(&f);
		forget(&f);
	}
	if (newest > 0 && !all)
		elc_fatal("%s has committed lines, and none can be used (the reasons stand above); "
			  "to begin from the beginning, empty it",
			  elc.dir);
	tidy(line, newest);
	return line;
}

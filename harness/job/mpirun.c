#include "harness/job/mpirun.h"

#include "base/status.h"
#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usual[] = "mpirun";

const char *mpirun_program(void)
{
	const char *program = getenv("ROLLBENCH_MPIRUN");

	return program ? program : usual;
}

const char *const mpirun_loopback[] = { "--mca", "btl_tcp_if_include", "lo", NULL };

/* A rank that waits must sleep: one that yields is moved back in the queue, and may then not run for seconds, or keeps the
 * core from another session. */
const char *const mpirun_naps[] = { "--mca", "mpi_yield_when_idle", "1",
				    "--mca", "threads_pthreads_yield_strategy", "nanosleep", NULL };

void mpirun_add(struct mpirun_command *c, const char *word)
{
	if (c->count < MPIRUN_WORDS - 1)
		c->word[c->count++] = word;
}

void mpirun_add_all(struct mpirun_command *c, const char *const *words)
{
	while (*words)
		mpirun_add(c, *words++);
}

/* "" if there are none. */
static const char *arguments(void)
{
	const char *given = getenv("ROLLBENCH_MPIRUN_ARGS");

	return given ? given : "";
}

/* The user's own arguments, which are separated by blanks: the words in `copy`, and how many there are, at most MPIRUN_OWN
 * of which are in the list. */
static int split(char copy[MPIRUN_TEXT], const char *word[MPIRUN_OWN])
{
	char *save, *next;
	int count = 0;

	snprintf(copy, MPIRUN_TEXT, "%s", arguments());
	for (next = strtok_r(copy, " ", &save); next; next = strtok_r(NULL, " ", &save), count++)
		if (count < MPIRUN_OWN)
			word[count] = next;
	return count;
}

void mpirun_add_own(struct mpirun_command *c)
{
	const char *word[MPIRUN_OWN];
	int count = split(c->own, word);

	for (int i = 0; i < count && i < MPIRUN_OWN; i++)
		mpirun_add(c, word[i]);
}

int mpirun_check(struct rb_error *err)
{
	const char *word[MPIRUN_OWN];
	size_t length = strlen(arguments());
	char copy[MPIRUN_TEXT];
	int count = split(copy, word);

	if (length >= sizeof copy)
		return rb_fail(err, RB_EINVAL, "$ROLLBENCH_MPIRUN_ARGS: %zu characters; at most %d can be used", length,
			       MPIRUN_TEXT - 1);
	return count <= MPIRUN_OWN ? RB_OK :
	       rb_fail(err, RB_EINVAL, "$ROLLBENCH_MPIRUN_ARGS: %d words; at most %d can be used", count, MPIRUN_OWN);
}

void mpirun_begin(struct mpirun_command *c, bool with_ft)
{
	static const char *const protection[] = { "--with-ft", "ulfm", "--mca", "coll_ftagree_era_topology", "3", NULL };
	static const char *const always[] = { "--allow-run-as-root", "--bind-to", "none", "--mca", "coll", "^han", NULL };

	*c = (struct mpirun_command){ .count = 0 };
	mpirun_add(c, mpirun_program());
	if (with_ft)
		mpirun_add_all(c, protection);
	mpirun_add_all(c, always);
}

/* What the value of an argument describes. */
enum value { HOW, WHERE, HOSTS, NETWORKS };

static enum value value_of(const char *argument)
{
	static const struct {
		const char *name;
		enum value value;
	} known[] = {
		{ "--host", HOSTS }, { "-host", HOSTS }, { "-H", HOSTS },
		/* the connection to a daemon, which nothing that is measured uses */
		{ "plm_ssh_agent", WHERE }, { "plm_rsh_agent", WHERE }, { "plm_ssh_args", WHERE },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(argument, known[i].name) == 0)
			return known[i].value;
	return text_ends_with(argument, "_if_include") || text_ends_with(argument, "_if_exclude") ? NETWORKS : HOW;
}

static void add(char out[MPIRUN_TEXT], const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, MPIRUN_TEXT - used, "%s", text);
}

/* Add the slots of each host, and the name of each network without its address. */
static void add_items(char out[MPIRUN_TEXT], char *list, enum value value)
{
	char *save, *item = strtok_r(list, ",", &save);

	for (bool first = true; item; item = strtok_r(NULL, ",", &save), first = false) {
		const char *slots = strchr(item, ':');

		add(out, first ? "" : ",");
		if (value == NETWORKS && !isdigit((unsigned char)item[0])) {
			add(out, item);
			continue;
		}
		add(out, "*");
		if (value == HOSTS && slots)
			add(out, slots);
	}
}

static void write_text(char out[MPIRUN_TEXT], bool everything)
{
	const char *word[MPIRUN_OWN];
	char copy[MPIRUN_TEXT];
	enum value value = HOW;
	int count = split(copy, word);

	snprintf(out, MPIRUN_TEXT, "%s", mpirun_program());
	for (int i = 0; i < count && i < MPIRUN_OWN; i++) {
		enum value next = everything ? HOW : value_of(word[i]);

		add(out, " ");
		if (value == HOW)
			add(out, word[i]);
		else if (value == WHERE)
			add(out, "*");
		else
			add_items(out, (char *)(uintptr_t)word[i], value);
		value = value == HOW ? next : HOW;
	}
}

bool mpirun_names_hosts(void)
{
	const char *word[MPIRUN_OWN];
	char copy[MPIRUN_TEXT];
	int count = split(copy, word);

	for (int i = 0; i < count && i < MPIRUN_OWN; i++)
		if (value_of(word[i]) == HOSTS || strncmp(word[i], "btl_tcp_if_", 11) == 0 ||
		    (word[i][0] == '-' && (strstr(word[i], "hostfile") || strstr(word[i], "machinefile"))))
			return true;
	return false;
}

void mpirun_text(char out[MPIRUN_TEXT])
{
	write_text(out, true);
}

void mpirun_shape(char out[MPIRUN_TEXT])
{
	write_text(out, false);
	if (strcmp(out, usual) == 0)
		out[0] = '\0';
}

#include "harness/job/mpirun.h"

#include "base/status.h"
#include "harness/options/allocation.h"
#include "harness/options/hosts.h"
#include "harness/transport/transport.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usual[] = "mpirun";

/* A process that wakes up, finds nothing to do and sleeps again keeps a core for about LOOK_NS.
 * Linux makes each nap longer by its usual timer slack. */
enum { LOOK_NS = 13000, SLACK_NS = 50000 };

const char *mpirun_program(void)
{
	const char *program = getenv("ROLLBENCH_MPIRUN");

	return program ? program : usual;
}

static void add(struct mpirun_command *c, const char *word)
{
	if (c->count < MPIRUN_WORDS - 1)
		c->word[c->count++] = word;
}

static void add_all(struct mpirun_command *c, const char *const *words)
{
	while (*words)
		add(c, *words++);
}

/* "" if there are none. */
static const char *arguments(void)
{
	const char *given = getenv("ROLLBENCH_MPIRUN_ARGS");

	return given ? given : "";
}

/* The user's own arguments, which are separated by blanks: the words in `copy`, and how many there
 * are, at most MPIRUN_OWN of which are in the list. */
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

int mpirun_check(struct rb_error *err)
{
	const char *word[MPIRUN_OWN];
	size_t length = strlen(arguments());
	char copy[MPIRUN_TEXT];
	int count = split(copy, word);

	if (length >= sizeof copy)
		return rb_fail(err, RB_EINVAL,
			       "$ROLLBENCH_MPIRUN_ARGS: %zu characters; at most %d can be used",
			       length, MPIRUN_TEXT - 1);
	return count <= MPIRUN_OWN
		       ? RB_OK
		       : rb_fail(err, RB_EINVAL,
				 "$ROLLBENCH_MPIRUN_ARGS: %d words; at most %d can be used", count,
				 MPIRUN_OWN);
}

/* Of the MPI's daemon, which has other options for its parameters. */
static void add_daemon_parameter(struct mpirun_command *c, const char *name, const char *value)
{
	add(c, "--prtemca");
	add(c, name);
	add(c, value);
}

static void add_parameter(struct mpirun_command *c, const char *name, const char *value)
{
	add(c, "--mca");
	add(c, name);
	add(c, value);
}

/* Each list of components as a whole (harness/transport/transport.h). */
static void add_transport(struct mpirun_command *c, const json_t *plan)
{
	const char *name;
	json_t *one;

	json_object_foreach(json_object_get(plan, "use"), name, one)
		if (json_is_true(json_object_get(one, "list")))
			add_parameter(c, name, json_string_value(json_object_get(one, "value")));
}

static bool is_list(const json_t *plan, const char *name)
{
	return json_is_true(
		json_object_get(json_object_get(json_object_get(plan, "use"), name), "list"));
}

/* The user's words. A list of components that they name is in that of the plan already, and mpirun
 * refuses two. */
static void add_own(struct mpirun_command *c, const json_t *plan)
{
	const char *word[MPIRUN_OWN];
	int count = split(c->own, word);

	count = count < MPIRUN_OWN ? count : MPIRUN_OWN;
	for (int i = 0; i < count; i++)
		if (i + 2 < count && transport_is_option(word[i]) && is_list(plan, word[i + 1]))
			i += 2;
		else
			add(c, word[i]);
}

/* Set a parameter that no argument, variable or file sets. */
static void add_unless_given(struct mpirun_command *c, const json_t *plan, const char *name,
			     const char *value)
{
	if (!json_object_get(json_object_get(plan, "use"), name))
		add_parameter(c, name, value);
}

/* The same, but a file does not count. */
static void add_unless_asked(struct mpirun_command *c, const json_t *plan, const char *name,
			     const char *value)
{
	const json_t *from = json_object_get(json_object_get(json_object_get(plan, "use"), name),
					     "from"),
		     *who;
	bool asked = false;
	size_t i;

	json_array_foreach(from, i, who)
		asked |= strncmp(json_string_value(who), "file ", 5) != 0;
	if (!asked)
		add_parameter(c, name, value);
}

/* Where nobody says how Open MPI is to make shared memory, each process tries all ways in MPI_Init,
 * and one that is killed meanwhile leaves /dev/shm/open_mpi.0000 (docs/ulfm-notes.md). mmap is the
 * way that it takes then. */
static void add_shared_memory(struct mpirun_command *c, const json_t *plan)
{
	add_unless_given(c, plan, "shmem", "mmap");
}

/* A process learns of a death when it polls for events, by default at most every 10 ms, also while
 * it waits for messages. The value is in microseconds (docs/ulfm-notes.md). */
static void add_protection(struct mpirun_command *c, const json_t *plan)
{
	static const char *const protection[] = { "--with-ft", "ulfm",
						  "--mca",     "coll_ftagree_era_topology",
						  "3",         NULL };

	add_all(c, protection);
	add_unless_given(c, plan, "mpi_event_tick_rate", "100");
}

/* Networks that the environment names stay. */
static void add_loopback(struct mpirun_command *c)
{
	if (!getenv("OMPI_MCA_btl_tcp_if_include") && !getenv("OMPI_MCA_btl_tcp_if_exclude"))
		add_parameter(c, "btl_tcp_if_include", "lo");
}

/* All processes of a core together shall leave it from time to time. 0 would be no nap at all. */
static double nap_ns_of(double per_core)
{
	double ns = LOOK_NS * per_core - SLACK_NS;

	return ns > 1 ? ns : 1;
}

/* A rank that waits must sleep: one that yields is moved back in the queue, and may then not run
 * for seconds, or keeps the core from another session. Who has the machine alone may ask for
 * yields; a file of the site is older than this job. */
static void add_naps(struct mpirun_command *c, const json_t *plan, double per_core)
{
	snprintf(c->nap_ns, sizeof c->nap_ns, "%.0f", nap_ns_of(per_core));
	add_unless_asked(c, plan, "mpi_yield_when_idle", "1");
	add_unless_asked(c, plan, "threads_pthreads_yield_strategy", "nanosleep");
	add_unless_asked(c, plan, "threads_pthreads_nanosleep_time", c->nap_ns);
}

/* Where processes share cores, a collective function takes as long as all of them need to have a
 * core once, times its steps. By default these are 8 for 129 processes that gather what a repair
 * needs; through one process they are 2. The kernels of such jobs have messages only, so this
 * concerns the engine alone. */
static void add_stars(struct mpirun_command *c, const json_t *plan)
{
	static const char *const through_one[] = { "coll_tuned_use_dynamic_rules",
						   "coll_tuned_allgather_algorithm",
						   "coll_tuned_gather_algorithm",
						   "coll_tuned_bcast_algorithm", NULL };

	for (const char *const *name = through_one; *name; name++)
		add_unless_given(c, plan, *name, "1");
}

/* PRRTE starts its daemons by the names of the host file, and then knows the hosts without their
 * domains; but it compares the names in the order of processes as they are, so these are another
 * file. FILE= takes no path with a dash or a colon (docs/ulfm-notes.md), and so no path of ours. */
static void add_hosts(struct mpirun_command *c, const char *placement)
{
	char path[MPIRUN_TEXT];
	int order;

	snprintf(path, sizeof path, "%s" HOSTS_ORDER, placement);
	order = open(path, O_RDONLY);
	snprintf(c->order, sizeof c->order, "seq:OVERSUBSCRIBE:FILE=/proc/self/fd/%d", order);
	add_parameter(c, "mpi_add_procs_cutoff", "1000000");
	add_daemon_parameter(c, "prte_keep_fqdn_hostnames", "0");
	add(c, "--map-by");
	add(c, order >= 0 ? c->order : "seq:OVERSUBSCRIBE");
	add(c, "--hostfile");
	add(c, placement);
}

/* The order of ranks is that of the placement, or of no importance on one host. A site's own policy
 * would be checked even where it does not count, and could end the job. */
static void add_policies(struct mpirun_command *c)
{
	add_daemon_parameter(c, "rmaps_default_mapping_policy", "slot");
	add_daemon_parameter(c, "rmaps_default_ranking_policy", "slot");
}

/* Neither ask a batch system for hosts nor start daemons through it. */
static void leave_allocation(struct mpirun_command *c)
{
	add_daemon_parameter(c, "ras", "^slurm,pbs,tm,lsf,flux,gridengine");
	add_daemon_parameter(c, "plm", "^slurm,pbs,tm,lsf,flux");
}

void mpirun_build(struct mpirun_command *c, const json_t *plan, const struct mpirun_job *job)
{
	static const char *const always[] = { "--allow-run-as-root", "--bind-to", "none", NULL };
	const bool here = mpirun_is_here(job);

	*c = (struct mpirun_command){ .count = 0 };
	snprintf(c->np, sizeof c->np, "%d", job->np);
	add(c, mpirun_program());
	if (job->with_ft)
		add_protection(c, plan);
	add_all(c, always);
	add_transport(c, plan);
	if (job->placement)
		add_hosts(c, job->placement);
	else {
		add(c, "--map-by");
		add(c, here ? "slot:OVERSUBSCRIBE" : ":OVERSUBSCRIBE");
	}
	if (here || job->placement)
		add_policies(c);
	if (here || allocation_is_left())
		leave_allocation(c);
	add_own(c, plan);
	add_shared_memory(c, plan);
	if (here) {
		add_loopback(c);
		if (job->shared && job->shared[0])
			add_parameter(c, "btl_sm_backing_directory", job->shared);
	}
	if (job->per_core > 0) {
		add_naps(c, plan, job->per_core);
		if (job->with_ft)
			add_stars(c, plan);
	}
	add(c, "-np");
	add(c, c->np);
	add_all(c, job->program);
	if (job->arguments)
		add_all(c, job->arguments);
}

static void append(char out[MPIRUN_TEXT], const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, MPIRUN_TEXT - used, "%s", text);
}

static void write_text(char out[MPIRUN_TEXT], bool everything)
{
	const char *word[MPIRUN_OWN];
	char copy[MPIRUN_TEXT];
	enum transport_value value = VALUE_HOW;
	int count = split(copy, word);

	snprintf(out, MPIRUN_TEXT, "%s", mpirun_program());
	for (int i = 0; i < count && i < MPIRUN_OWN; i++) {
		enum transport_value next = everything ? VALUE_HOW : transport_value_of(word[i]);

		append(out, " ");
		if (value == VALUE_HOW)
			append(out, word[i]);
		else if (value == VALUE_WHERE)
			append(out, "*");
		else
			transport_add_shape(out, MPIRUN_TEXT, word[i], value);
		value = value == VALUE_HOW ? next : VALUE_HOW;
	}
}

bool mpirun_is_here(const struct mpirun_job *job)
{
	return !job->placement && !mpirun_names_hosts();
}

static bool is_host_option(const char *word)
{
	return transport_value_of(word) == VALUE_HOSTS ||
	       (word[0] == '-' && (strstr(word, "hostfile") || strstr(word, "machinefile")));
}

static bool is_network(const char *word)
{
	return strncmp(word, "btl_tcp_if_", 11) == 0;
}

/* Is one of the user's words such a one? */
static bool has_word(bool (*is)(const char *word))
{
	const char *word[MPIRUN_OWN];
	char copy[MPIRUN_TEXT];
	int count = split(copy, word);

	for (int i = 0; i < count && i < MPIRUN_OWN; i++)
		if (is(word[i]))
			return true;
	return false;
}

bool mpirun_lists_hosts(void)
{
	return has_word(is_host_option);
}

bool mpirun_names_hosts(void)
{
	return mpirun_lists_hosts() || has_word(is_network);
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

void mpirun_describe(json_t *description)
{
	char mpirun[MPIRUN_TEXT];

	mpirun_shape(mpirun);
	if (mpirun[0])
		json_object_set_new(description, "mpirun", json_string(mpirun));
	json_object_set_new(description, "transport", transport_shape(transport_plan()));
}

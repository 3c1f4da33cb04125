#include "forecast/simulate/simulation_options.h"

#include "base/status.h"
#include "base/text.h"
#include "forecast/simulate/quantity.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *line_word(int i)
{
	static const char *const words[] = { "free", "barrier", "own" };

	return i < 3 ? words[i] : NULL;
}

static const char *stops_word(int i)
{
	static const char *const words[] = { "all", "affected" };

	return i < 2 ? words[i] : NULL;
}

static int quantity(const struct simulation *s, const char *name, const char *text,
		    enum dimension d, double *out, struct rb_error *err)
{
	if (quantity_parse(text, d, s->strict, out))
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "%s %.60s: expected %s%s", name, text, dimension_help(d),
		       s->strict ? "; in a file the unit must be there" : "");
}

/* A function that reads an option into a member. */
#define QUANTITY(function, name, dimension, member)                             \
	static int function(void *base, const char *text, struct rb_error *err) \
	{                                                                       \
		struct simulation *s = base;                                    \
		return quantity(s, name, text, dimension, &s->member, err);     \
	}

QUANTITY(set_latency, "latency", IN_SECONDS, costs.latency_s)
QUANTITY(set_bandwidth, "bandwidth", IN_BYTES_PER_S, costs.bytes_per_s)
QUANTITY(set_log_bandwidth, "log-bandwidth", IN_BYTES_PER_S, costs.log_bytes_per_s)
QUANTITY(set_checkpoint, "checkpoint", IN_SECONDS, costs.checkpoint_s)
QUANTITY(set_detect, "detect", IN_SECONDS, costs.detect_s)
QUANTITY(set_repair, "repair", IN_SECONDS, costs.repair_s)
QUANTITY(set_restore, "restore", IN_SECONDS, costs.restore_s)
QUANTITY(set_mtbf, "mtbf-node", IN_SECONDS, law.mtbf_s)
QUANTITY(set_hop, "hop-latency", IN_SECONDS, platform.network.hop_s)

/* Call set() for each of the words, which `separator` separates. */
static int each(void *base, const char *text, const char *separator,
		int (*set)(void *, int, const char *, struct rb_error *), struct rb_error *err)
{
	char copy[1024], *next = copy, *word;
	int rc = RB_OK;

	if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
		return rb_fail(err, RB_EINVAL, "%.40s...: the list is too long", text);
	for (int i = 0; rc == RB_OK && (word = strsep(&next, separator)); i++)
		rc = set(base, i, word + strspn(word, " "), err);
	return rc;
}

static int set_one_work(void *base, int i, const char *text, struct rb_error *err)
{
	struct simulation *s = base;

	if (i >= WORK_KNOTS_MAX)
		return rb_fail(err, RB_EINVAL, "work: expected at most %d quantiles",
			       WORK_KNOTS_MAX);
	s->work.knots = i + 1;
	return quantity(s, "work", text, IN_SECONDS, &s->work.seconds[i], err);
}

static int set_work(void *base, const char *text, struct rb_error *err)
{
	return each(base, text, ",", set_one_work, err);
}

static int set_one_bytes(void *base, int i, const char *text, struct rb_error *err)
{
	struct simulation *s = base;

	if (i >= STENCIL_AXES)
		return rb_fail(
			err, RB_EINVAL,
			"bytes: expected at most %d numbers: across a face, an edge, a corner",
			STENCIL_AXES);
	return quantity(s, "bytes", text, IN_BYTES, &s->bytes[i], err);
}

static int set_bytes(void *base, const char *text, struct rb_error *err)
{
	return each(base, text, ",", set_one_bytes, err);
}

static int set_one_length(void *base, int i, const char *text, struct rb_error *err)
{
	struct simulation *s = base;
	int64_t length;

	if (i >= STENCIL_AXES || !text_integer(text, 1, INT_MAX, &length))
		return rb_fail(err, RB_EINVAL,
			       "grid %.40s: expected numbers of roles along 1 to %d axes, for "
			       "instance 64x32",
			       text, STENCIL_AXES);
	s->grid[i] = (int)length;
	s->axes = i + 1;
	return RB_OK;
}

static int set_grid(void *base, const char *text, struct rb_error *err)
{
	return each(base, text, "x", set_one_length, err);
}

static int set_one_watts(void *base, int i, const char *text, struct rb_error *err)
{
	struct simulation *s = base;
	const char *equals = strchr(text, '=');

	(void)i;
	for (int k = 0; equals && k < STATES; k++)
		if (strncmp(text, energy_state_name((enum energy_state)k),
			    (size_t)(equals - text)) == 0 &&
		    energy_state_name((enum energy_state)k)[equals - text] == '\0')
			return quantity(s, "watts", equals + 1, IN_WATTS, &s->watts[k], err);
	return rb_fail(
		err, RB_EINVAL,
		"watts %.40s: expected STATE=POWER with the states compute, wait, capped, off",
		text);
}

static int set_watts(void *base, const char *text, struct rb_error *err)
{
	return each(base, text, ",", set_one_watts, err);
}

/* "12", "12:send": an iteration and a point of it. */
static bool read_point(const char *text, struct failure *f)
{
	if (!text_digits(&text, &f->iter) || f->iter > INT64_MAX / 4)
		return false;
	if (!*text)
		f->at = AT_START;
	return !*text || (*text == ':' && failure_point_find(text + 1, &f->at));
}

static bool read_clock(const char *text, struct failure *f)
{
	double seconds;

	if (!quantity_parse(text, IN_SECONDS, true, &seconds) || seconds >= seconds_of(TICKS_MAX))
		return false;
	f->at = ticks_of(seconds);
	return true;
}

/* "3@12": role 3 when it begins iteration 12; "3@12:commit": at that point of it; "3@12.5s": by the
 * clock. */
static int set_one_failure(void *base, int i, const char *text, struct rb_error *err)
{
	struct simulation *s = base;
	struct failure f = { .at = 0 };
	int64_t role = 0;
	const char *at = text;

	(void)i;
	if (s->failures == SIMULATION_FAILURES)
		return rb_fail(err, RB_EINVAL, "fail: at most %d failures", SIMULATION_FAILURES);
	if (!text_digits(&at, &role) || *at != '@' || role > INT_MAX ||
	    (!read_point(at + 1, &f) && !read_clock(at + 1, &f)))
		return rb_fail(
			err, RB_EINVAL,
			"fail %.60s: expected ROLE@ITERATION, perhaps with :start, :send, :commit "
			"or :checkpoint behind it, or ROLE@TIME, for instance 3@12 or 3@12.5s",
			text);
	f.role = (int)role;
	s->failure[s->failures++] = f;
	return RB_OK;
}

static int set_failure(void *base, const char *text, struct rb_error *err)
{
	return each(base, text, ",", set_one_failure, err);
}

/* A line of a file of failures: as the value of --fail; behind # is a comment. */
static int read_failures(struct simulation *s, const char *path, int number, char *line,
			 struct rb_error *err)
{
	struct rb_error why;

	line[strcspn(line, "#\n")] = '\0';
	for (char *word, *next = line; (word = strsep(&next, " \t\r,"));) {
		if (*word && set_one_failure(s, 0, word, &why) != RB_OK)
			return rb_fail(err, RB_EINVAL, "%.200s:%d: %.200s", path, number, why.text);
	}
	return RB_OK;
}

static int set_failures(void *base, const char *path, struct rb_error *err)
{
	FILE *from = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int rc = RB_OK;

	if (!from)
		return rb_fail(err, RB_EINVAL, "fail-list %.200s: %s", path, strerror(errno));
	text_skip_mark(from);
	for (int number = 1; rc == RB_OK && getline(&line, &room, from) >= 0; number++)
		rc = read_failures(base, path, number, line, err);
	if (rc == RB_OK && ferror(from))
		rc = rb_fail(err, RB_EIO, "fail-list %.200s: %s", path, strerror(errno));
	free(line);
	fclose(from);
	return rc;
}

static int set_network(void *base, const char *text, struct rb_error *err)
{
	return network_parse(&((struct simulation *)base)->platform.network, text, err);
}

#define AT(member) .at = offsetof(struct simulation, member)
#define SET(function) OPTION_OWN, .set = function

static const struct option rows[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(what) },
	{ "np", "N", "roles", OPTION_INT, AT(np), .least = 1, .most = INT_MAX },
	{ "grid", "AxB", "of a stencil: roles along each axis (default: as square as possible)",
	  SET(set_grid) },
	{ "periodic", NULL, "of a stencil: its first and its last role are neighbours", OPTION_FLAG,
	  AT(periodic) },
	{ "bytes", "LIST",
	  "of a stencil: bytes of a message across a face, an edge, a corner (default 800kB,0,0)",
	  SET(set_bytes) },
	{ "width", "N",
	  "of a stencil: its messages go to roles up to so many steps away along each axis",
	  OPTION_INT, AT(width), .least = 1, .most = 64, .standard = "1" },
	{ "steps", "N", "iterations (default: of a kernel as in a run, of a stencil 1000)",
	  OPTION_LONG, AT(steps), .least = 1, .most = INT64_MAX / 2 },
	{ "work", "LIST",
	  "time that a role works in an iteration: one value, or quantiles at equal distances, "
	  "from the least to the most (default 1s)",
	  SET(set_work) },
	{ "latency", "T", "of a message (default 50us)", SET(set_latency) },
	{ "bandwidth", "B", "of a message (default 1Gbit/s)", SET(set_bandwidth) },
	{ "log-bandwidth", "B", "of copying a message into the log (default: takes no time)",
	  SET(set_log_bandwidth) },
	{ "interval", "N", "iterations between two checkpoints", OPTION_LONG, AT(interval),
	  .least = 1, .most = INT64_MAX / 4, .standard = "25" },
	{ "ckpt-first", "N", "iterations before the first checkpoint, if these are not as many",
	  OPTION_LONG, AT(ckpt_first), .least = 1, .most = INT64_MAX / 4 },
	{ "checkpoint", "T", "time that a role needs for a checkpoint (default 0s)",
	  SET(set_checkpoint) },
	{ "line", "KIND",
	  "free: all roles take the same checkpoints, each when it gets there. barrier: they wait "
	  "for each other first. own: each role at its own time (policy all only)",
	  OPTION_WORD, AT(line), .word = line_word, .standard = "free" },
	{ "detect", "T", "from a death until the other roles stop (default 0s)", SET(set_detect) },
	{ "repair", "T", "from then until all may go on (default 0s)", SET(set_repair) },
	{ "restore", "T", "of loading a checkpoint (default 0s)", SET(set_restore) },
	{ "replay-speed", "X",
	  "how many times as fast a role works in iterations that are computed again, also on "
	  "duplicates (default 1)",
	  OPTION_FACTOR, AT(costs.replay_speed) },
	{ "stops", "WHOM",
	  "all: a repair stops every role, as with ULFM. affected: only those that go back or "
	  "compute on duplicates",
	  OPTION_WORD, AT(stops), .word = stops_word, .standard = "all" },
	{ "mtbf-node", "T", "mean time between the failures of a node, drawn at random",
	  SET(set_mtbf) },
	{ "shape", "K", "of a Weibull distribution of these times (default 1: exponential)",
	  OPTION_FACTOR, AT(law.shape) },
	{ "per-node", "N", "roles on a node, which all die with it", OPTION_INT,
	  AT(law.roles_per_node), .least = 1, .most = INT_MAX, .standard = "1" },
	{ "fail", "LIST",
	  "failures that are not drawn: ROLE@ITERATION, when the role begins it, "
	  "ROLE@ITERATION:POINT with the points start, send, commit and checkpoint of --kill of "
	  "run, or ROLE@TIME, for instance 3@12,4@20:commit,5@130s",
	  SET(set_failure) },
	{ "fail-list", "FILE",
	  "further failures, recorded ones for instance: words as in --fail, separated by blanks, "
	  "commas or lines; behind # is a comment",
	  SET(set_failures) },
	{ "recoveries", NULL,
	  "have the record say for each repair where it found the roles and who goes back or "
	  "computes on a duplicate",
	  OPTION_FLAG, AT(recoveries) },
	{ "seeds", "N", "runs of each method, which draw other failures each", OPTION_INT,
	  AT(seeds), .least = 1, .most = 1000000, .standard = "1" },
	{ "seed", "N", "the first seed", OPTION_LONG, AT(seed), .least = 0, .most = INT64_MAX,
	  .standard = "1" },
	{ "method", "LIST",
	  "global (policy none), local (policy all), dataflow, flat (policy none, where survivors "
	  "recompute on duplicates), or POLICY, POLICY+dataflow, POLICY+dataflow:flat (default "
	  "global,local,dataflow)",
	  OPTION_STRING, AT(methods) },
	{ "watts", "LIST",
	  "power of a role by its state: compute=P,wait=P,capped=P,off=P. capped: in its first "
	  "wait behind a recovery (default 0W each)",
	  SET(set_watts) },
	{ "roles-per-host", "N", "engine simgrid: roles that share the cores of a host (default 1)",
	  OPTION_INT, AT(platform.roles_per_host), .least = 1, .most = HOST_ROLES_MAX },
	{ "cores-per-host", "N",
	  "engine simgrid: cores that the roles of a host share (default: as many as roles)",
	  OPTION_INT, AT(platform.cores_per_host), .least = 1, .most = 1 << 20 },
	{ "network", "KIND",
	  "engine simgrid: whose links messages share. unshared (default), star, torus:AxBxC, or "
	  "fattree:DOWN/UP[/CABLES] with a number for each level from the hosts upwards, for "
	  "instance fattree:4x8/1x2. A link has the bandwidth of --bandwidth",
	  SET(set_network) },
	{ "hop-latency", "T",
	  "engine simgrid: what each link on the way adds to --latency (default 0s)",
	  SET(set_hop) },
	{ "engine", "NAME",
	  "fast; simgrid: played by actors of SimGrid, where it is installed, also with shared "
	  "cores and links. Without these their results are equal to the bit",
	  OPTION_WORD, AT(engine), .word = engine_name, .standard = "fast" },
	{ "threads", "N",
	  "of the engine fast (default: as many as cores); they do not change the result",
	  OPTION_INT, AT(threads), .least = 1, .most = 1024 },
	{ "results", "DIR",
	  "of a file with lists of values: where the records of its points go (default "
	  "results/NAME)",
	  OPTION_STRING, AT(results) },
	{ "jobs", "N", "points that are simulated at once (default: as many as cores)", OPTION_INT,
	  AT(jobs), .least = 1, .most = 1024 },
	{ "against", "PATH",
	  "alone: a record of a run, a folder of records or the results of a sweep: compare the "
	  "recoveries in it with simulated ones",
	  OPTION_STRING, AT(against) },
	{ "from", "PATH",
	  "take work and costs that are not given from measured runs of the kernel, which also say "
	  "what kernel it is: a record, a folder of records or the results of a sweep",
	  OPTION_STRING, AT(from) },
	{ "predict", NULL,
	  "with --from: take the costs from the failure-free runs and half of the kill points, "
	  "which --seed chooses, predict the runs of the other half by --seeds draws (default "
	  "100), and compare",
	  OPTION_FLAG, AT(predict) },
	{ "goal", "FILE",
	  "write the failure-free run with the first seed to FILE in GOAL, the format of "
	  "LogGOPSim, and simulate nothing",
	  OPTION_STRING, AT(goal) },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ .name = NULL },
};

struct command simulation_command(struct simulation *s)
{
	return (struct command){
		.usage =
			"usage: rollbench simulate PATTERN [OPTION ...]\n"
			"       rollbench simulate FILE.yaml [--results DIR] [OPTION ...]\n"
			"       rollbench simulate [KERNEL] --from PATH [--predict] [OPTION ...]\n"
			"       rollbench simulate --against PATH\n"
			"\n"
			"Compute how long a run takes that meets failures, and what each method of recovery costs, by a model\n"
			"(docs/simulator.md). PATTERN: stencil1d, stencil2d, stencil3d, allreduce (one reduction over all roles in\n"
			"each iteration), a kernel with its options, or a profile, FILE.csv or FILE.csv.gz of `rollbench profile`. In a\n"
			"file, the options are keys (`pattern` for the first one), with _ for -, and quantities need units.\n"
			"Where a key has a list of values, each combination is a point, with a record of its own in DIR. After\n"
			"an interruption, the same command goes on; points whose record is there are not simulated again.\n"
			"\n",
		.own = s->table,
		.notes =
			"\nexit status: 0 ok, 1 a point has no record, or with --against or --predict: a record differs, or none can be compared, 2 usage or a model that is refused, 130/143 interrupted\n",
	};
}

/* A file describes a model, and has nothing to say about records. */
static bool is_of_models(const struct option *o)
{
	static const size_t others[] = { offsetof(struct simulation, against),
					 offsetof(struct simulation, from),
					 offsetof(struct simulation, predict),
					 offsetof(struct simulation, results),
					 offsetof(struct simulation, jobs) };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (o->at == others[i])
			return false;
	return true;
}

static bool is_of_stencils(const struct option *o)
{
	return o->set == set_grid || o->set == set_bytes ||
	       o->at == offsetof(struct simulation, width) ||
	       o->at == offsetof(struct simulation, periodic);
}

void simulation_table(struct simulation *s, const struct kernel_ops *kernel, bool in_file)
{
	static char names[SIMULATION_OPTIONS][32];
	size_t count = 0;

	for (const struct option *o = rows; o->name; o++)
		if ((!kernel || !is_of_stencils(o)) && (!in_file || is_of_models(o)))
			s->table[count++] = *o;
	for (int i = 0; kernel && kernel->options[i].name; i++)
		if (strcmp(kernel->options[i].name, "steps") != 0)
			s->table[count++] =
				(struct option){ kernel->options[i].name,
						 "VALUE",
						 kernel->options[i].help,
						 OPTION_TEXT,
						 .at = offsetof(struct simulation, value) +
						       (size_t)i * SIMULATION_TEXT,
						 .most = SIMULATION_TEXT,
						 .standard = kernel->options[i].value };
	s->table[count] = (struct option){ .name = NULL };
	for (size_t i = 0; in_file && i < count; i++) {
		snprintf(names[i], sizeof names[i], "%s",
			 s->table[i].name[0] ? s->table[i].name : "pattern");
		text_replace(names[i], '-', '_');
		s->table[i].name = names[i];
		s->table[i].value = NULL;
	}
}

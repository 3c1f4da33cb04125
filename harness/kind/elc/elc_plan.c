/* What is to be run: programs, their arguments, kills. */
#include "harness/kind/elc/elc_run.h"

#include "base/program.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/store/store.h"
#include "contract/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES_OF_PAPER = 4 };

static const char *const programs[] = { "gauss_jordan", "neurons", "disks", "matmul" };
/* As libelc has them (elc/mpi, elc_moment()). */
const struct elc_phase elc_phases[] = {
	{ "start", "at the safe point itself", false },
	{ "cut", "begins a line: nothing of it is written", false },
	{ "saved", "its state in the line is in stable storage", false },
	{ "asking", "half of its requests to other ranks are sent", false },
	{ "asked", "all of them are sent", false },
	{ "requested", "a request has come", false },
	{ "identified", "knows all messages of the line that it has to keep", false },
	{ "complete", "these are in stable storage, too", false },
	{ "known", "knows that the line is committed", false },
	{ "reported", "rank 0: all ranks are complete", true },
	{ "committed", "rank 0: the commit is in stable storage", true },
	{ "announcing", "rank 0: half of the other ranks are told", true },
	{ .name = NULL },
};

const char *elc_protocol_word(int protocol)
{
	static const char *const words[] = { [ELC_OFF] = "off",
					     [ELC_SOURCE] = "source",
					     [ELC_EVENTS] = "events",
					     [ELC_TAGGING] = "tagging",
					     [ELC_TAGGING_COPY] = "tagging-copy",
					     [ELC_MARKERS] = "markers" };

	return protocol <= ELC_MARKERS ? words[protocol] : NULL;
}

const char *elc_log_word(int form)
{
	static const char *const words[] = { [ELC_COUNTED] = "counted", [ELC_LIST] = "list" };

	return form <= ELC_LIST ? words[form] : NULL;
}

static int refuse_phase(const char *text, struct rb_error *err)
{
	char known[192] = "";

	for (const struct elc_phase *p = elc_phases; p->name; p++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
			 p == elc_phases ? "" : ", ", p->name);
	return rb_fail(err, RB_EINVAL,
		       "--kill %.60s: expected RANK@N or RANK@N:PHASE, with safe points N from 0 "
		       "and PHASE one of %s",
		       text, known);
}

int elc_plan_kill(struct elc_plan *p, const char *text, struct rb_error *err)
{
	const struct elc_phase *phase = elc_phases;
	struct elc_kill kill = { .rank = 0 };
	const char *at = text;
	int64_t rank;

	if (!text_digits(&at, &rank) || *at++ != '@' || !text_digits(&at, &kill.step) ||
	    (*at && *at != ':'))
		return refuse_phase(text, err);
	while (*at == ':' && phase->name && strcmp(at + 1, phase->name))
		phase++;
	if (!phase->name)
		return refuse_phase(text, err);
	if (p->kills == ELC_KILLS || rank >= ELC_NP_MAX)
		return rb_fail(err, RB_EINVAL, "--kill %.60s: at most %d kills, of ranks below %d",
			       text, ELC_KILLS, ELC_NP_MAX);
	if (phase->of_rank_0 && rank > 0)
		return rb_fail(err, RB_EINVAL, "--kill %.60s: only rank 0 has the phase %s", text,
			       phase->name);
	kill.rank = (int)rank;
	kill.phase = phase;
	p->kill[p->kills++] = kill;
	return RB_OK;
}

static int refuse_clock(const char *text, struct rb_error *err)
{
	return rb_fail(
		err, RB_EINVAL,
		"--kill-at %.60s: expected SECONDS:RANK, or several of them with commas between, "
		"for instance 0.25:3,0.26:0; all of them with start+ in front, or none",
		text);
}

int elc_plan_kill_at(struct elc_plan *p, const char *text, struct rb_error *err)
{
	struct elc_kill kill = { .rank = 0 };
	char own[ELC_KILL], *rest = own;

	if (p->kills == ELC_KILLS)
		return rb_fail(err, RB_EINVAL, "--kill-at %.60s: at most %d jobs are killed", text,
			       ELC_KILLS);
	if (snprintf(own, sizeof own, "%s", text) >= (int)sizeof own)
		return refuse_clock(text, err);
	for (const char *one = strsep(&rest, ","); one; one = strsep(&rest, ",")) {
		const struct outside_kill *last = kill.clock.kill;

		if (outside_parse(&kill.clock, one, err) != RB_OK)
			return refuse_clock(text, err);
		for (size_t i = 0; i < kill.clock.count; i++)
			if (last[i].startup != last->startup || last[i].who != INJECT_ROLE)
				return refuse_clock(text, err);
	}
	p->kill[p->kills++] = kill;
	return RB_OK;
}

static void format_clock(const struct outside_plan *clock, char *out, size_t size)
{
	char one[INJECT_TEXT];

	out[0] = '\0';
	for (size_t i = 0; i < clock->count; i++) {
		outside_format(&clock->kill[i], one, sizeof one);
		snprintf(out + strlen(out), size - strlen(out), "%s%s", i ? "," : "", one);
	}
}

void elc_kill_format(const struct elc_kill *k, char *out, size_t size)
{
	if (k->clock.count > 0)
		format_clock(&k->clock, out, size);
	else if (k->phase == elc_phases)
		snprintf(out, size, "%d@%" PRId64, k->rank, k->step);
	else
		snprintf(out, size, "%d@%" PRId64 ":%s", k->rank, k->step, k->phase->name);
}

json_t *elc_kills_json(const struct elc_plan *p)
{
	json_t *list = json_array();
	char text[ELC_KILL];

	for (int k = 0; k < p->kills; k++) {
		elc_kill_format(&p->kill[k], text, sizeof text);
		json_array_append_new(list, json_string(text));
	}
	return list;
}

int elc_add_arguments(const struct elc_plan *p, json_t *list)
{
	int i = 0;

	while (i < p->arguments && json_array_append_new(list, json_string(p->argument[i])) == 0)
		i++;
	return i;
}

void elc_plan_init(struct elc_plan *p)
{
	*p = (struct elc_plan){ .protocol = ELC_EVENTS, .lines = -1 };
}

int elc_plan_argument(struct elc_plan *p, const char *name, const char *value, struct rb_error *err)
{
	char *word, *own = strdup(value);

	if (own && strcmp(name, "check") && p->arguments + 2 <= ELC_ARGUMENTS &&
	    asprintf(&word, "--%s", name) >= 0) {
		p->argument[p->arguments++] = word;
		p->argument[p->arguments++] = own;
		return RB_OK;
	}
	free(own);
	if (strcmp(name, "check") == 0)
		return rb_fail(
			err, RB_EINVAL,
			"--check: this command has the program check its arguments by itself");
	if (p->arguments + 2 > ELC_ARGUMENTS)
		return rb_fail(err, RB_EINVAL, "--%.60s: more than %d arguments of a program", name,
			       ELC_ARGUMENTS / 2);
	return rb_fail(err, RB_ENOMEM, "out of memory");
}

void elc_plan_free(struct elc_plan *p)
{
	while (p->arguments > 0)
		free(p->argument[--p->arguments]);
}

bool elc_is_program(const char *name)
{
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (strcmp(programs[i], name) == 0)
			return true;
	return false;
}

int elc_plan_find(struct elc_plan *p, struct rb_error *err)
{
	char own[SPEC_PATH];

	if (!p->program)
		return rb_fail(err, RB_EINVAL,
			       "expected a program first: gauss_jordan, neurons, disks, matmul, or "
			       "a kernel");
	p->kernel = kernel_find(p->program) != NULL;
	if (!p->kernel && !elc_is_program(p->program))
		return rb_fail(
			err, RB_EINVAL,
			"%.60s: unknown program; there are gauss_jordan, neurons, disks, matmul, "
			"and the kernels of `rollbench list kernels`",
			p->program);
	program_path(own, sizeof own);
	own[strrchr(own, '/') ? strrchr(own, '/') - own : 0] = '\0';
	if (snprintf(p->path, sizeof p->path, "%s/elc/%s/%s", own,
		     p->protocol == ELC_SOURCE ? "source" : "programs",
		     p->kernel ? "kernel" : p->program) >= (int)sizeof p->path ||
	    access(p->path, X_OK) != 0)
		return rb_fail(
			err, RB_EINVAL,
			"%.400s: this program is not there; `make` builds it beside rollbench",
			p->path);
	return RB_OK;
}

/* Execute the program without MPI, with its arguments and two more; the first line that it says on
 * stderr is `said`. Returns its exit status, -1: it could not be started. */
static int ask(const struct elc_plan *p, const char *name, const char *value,
	       char said[RB_ERROR_MAX])
{
	const char *word[ELC_ARGUMENTS + 6] = { p->path };
	int n = 1, ends[2], status = -1;
	FILE *from;
	pid_t child;

	if (p->kernel)
		word[n++] = p->program;
	for (int i = 0; i < p->arguments; i++)
		word[n++] = p->argument[i];
	word[n++] = name;
	word[n++] = value;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		execv(p->path, (char *const *)(uintptr_t)word);
		_exit(127);
	}
	close(ends[1]);
	from = fdopen(ends[0], "r");
	said[0] = '\0';
	if (from && fgets(said, RB_ERROR_MAX, from))
		said[strcspn(said, "\n")] = '\0';
	if (from)
		fclose(from);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void elc_program_help(const struct elc_plan *p)
{
	char said[RB_ERROR_MAX];

	printf("\n");
	fflush(stdout);
	ask(p, "--help", NULL, said);
}

static bool has_argument(const struct elc_plan *p, const char *name)
{
	for (int i = 0; i < p->arguments; i += 2)
		if (strcmp(p->argument[i] + 2, name) == 0)
			return true;
	return false;
}

/* Who says nothing about lines gets as many as in the paper. */
static int add_lines(struct elc_plan *p, struct rb_error *err)
{
	char number[24];

	if (p->lines < 0)
		p->lines = p->interval_s > 0 || has_argument(p, "every") ? 0 : LINES_OF_PAPER;
	if (p->lines == 0 || has_argument(p, "lines")) /* then it has been checked before */
		return RB_OK;
	snprintf(number, sizeof number, "%" PRId64, p->lines);
	return elc_plan_argument(p, "lines", number, err);
}

static int check_off(const struct elc_plan *p, struct rb_error *err)
{
	const char *what = p->kills > 0        ? "--kill"
			   : p->lines > 0      ? "--lines"
			   : p->interval_s > 0 ? "--line-interval"
					       : NULL;

	return what ? rb_fail(err, RB_EINVAL,
			      "%s: not with --protocol %s, which starts the program without lines; use "
			      "--protocol events",
			      what, elc_protocol_word((int)p->protocol))
		    : RB_OK;
}

/* The arguments as a text in which all seeds of up to 9 digits are the same. It is the caller's. */
static char *words_of(const struct elc_plan *p)
{
	json_t *list = json_pack("[s, s, i]", p->path, p->program, p->np);
	char *text;
	int64_t seed;

	for (int i = 0; i < p->arguments; i++) {
		const bool any = i % 2 && strcmp(p->argument[i - 1], "--seed") == 0 &&
				 text_integer(p->argument[i], 0, 999999999, &seed);

		json_array_append_new(list, json_string(any ? "any" : p->argument[i]));
	}
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return text;
}

/* Have the program check its arguments, unless it has found such ones good: a sweep has many, and
 * each start takes a tenth of a second. */
static int check_arguments(const struct elc_plan *p, struct rb_error *err)
{
	static json_t *good;
	char said[RB_ERROR_MAX] = "", np[16], *words = words_of(p);
	int rc = RB_OK;

	if (!good)
		good = json_object();
	snprintf(np, sizeof np, "%d", p->np);
	if (!words || !json_object_get(good, words)) {
		if (ask(p, "--check", np, said) != 0)
			rc = rb_fail(err, RB_EINVAL, "%s",
				     said[0] ? said : "the program cannot be started");
		else if (words)
			json_object_set_new(good, words, json_true());
	}
	free(words);
	return rc;
}

static int check_ranks(const struct elc_plan *p, const struct elc_kill *kill, struct rb_error *err)
{
	bool there = kill->rank < p->np;
	char text[ELC_KILL];

	for (size_t i = 0; i < kill->clock.count; i++)
		there = there && kill->clock.kill[i].number < p->np;
	elc_kill_format(kill, text, sizeof text);
	return there ? RB_OK
		     : rb_fail(err, RB_EINVAL, "--kill%s %.60s: there is no such rank with --np %d",
			       kill->clock.count > 0 ? "-at" : "", text, p->np);
}

int elc_plan_check_hosts(const struct elc_plan *p, struct rb_error *err)
{
	for (int k = 0; p->hosts && k < p->kills; k++)
		if (p->kill[k].clock.count > 0)
			return rb_fail(
				err, RB_EINVAL,
				"--kill-at: it reaches processes of this machine only, not those "
				"of --hostfile; use --kill");
	return p->hosts ? hosts_check(p->hosts, err) : RB_OK;
}

int elc_plan_check(struct elc_plan *p, struct rb_error *err)
{
	if (p->np > ELC_NP_MAX)
		return rb_fail(err, RB_EINVAL, "--np %d: at most %d with --protocol", p->np,
			       ELC_NP_MAX);
	RB_TRY(elc_plan_check_hosts(p, err));
	for (int k = 0; k < p->kills; k++)
		RB_TRY(check_ranks(p, &p->kill[k], err));
	if (!elc_is_on(p))
		RB_TRY(check_off(p, err));
	else
		RB_TRY(add_lines(p, err));
	return check_arguments(p, err);
}

void elc_command(const struct elc_plan *p, char out[COMMAND_TEXT])
{
	FILE *to = fmemopen(out, COMMAND_TEXT, "w");
	char text[ELC_KILL];

	out[0] = '\0';
	if (!to)
		return;
	fprintf(to, "./rollbench run %s --protocol %s --np %d", p->program,
		elc_protocol_word((int)p->protocol), p->np);
	if (p->log_form != ELC_COUNTED)
		fprintf(to, " --log-form %s", elc_log_word((int)p->log_form));
	if (p->interval_s > 0)
		fprintf(to, " --line-interval %.9g", p->interval_s);
	if (p->lines >= 0)
		fprintf(to, " --lines %" PRId64, p->lines);
	for (int i = 0; i < p->arguments; i += 2)
		if (strcmp(p->argument[i], "--lines"))
			command_print(to, 2, (char **)(uintptr_t)&p->argument[i]);
	for (int k = 0; k < p->kills; k++) {
		elc_kill_format(&p->kill[k], text, sizeof text);
		fprintf(to, " --kill%s %s", p->kill[k].clock.count > 0 ? "-at" : "", text);
	}
	fprintf(to, " --deadline %.9g", p->deadline_s);
	if (p->hosts && p->hosts->file)
		command_print(to, 2,
			      (char *[]){ (char *)(uintptr_t)"--hostfile",
					  (char *)(uintptr_t)p->hosts->file });
	fclose(to);
}

int elc_hash(const char *name, char out[MANIFEST_HASH], struct rb_error *err)
{
	char path[SPEC_PATH + 256], own[SPEC_PATH];

	program_path(own, sizeof own);
	snprintf(path, sizeof path, "%.*s/%.200s",
		 (int)(strrchr(own, '/') ? strrchr(own, '/') - own : 0), own, name);
	return store_hash_file(path, out, err);
}

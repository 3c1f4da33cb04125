#include "harness/job/job_log.h"

#include "base/text.h"
#include "harness/job/job_causes.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { LINE = 1024, RULE = 20, MESSAGE = 4096 };

static const char own[] = "mpirun: ended by "; /* of job_log_add_end() */

void job_log_path(const char *dir, char out[SCRATCH_PATH])
{
	snprintf(out, SCRATCH_PATH, "%s/mpirun.log", dir);
}

long job_log_size(const char *dir)
{
	char path[SCRATCH_PATH];
	struct stat log;

	job_log_path(dir, path);
	return stat(path, &log) == 0 ? (long)log.st_size : 0;
}

FILE *job_log_open(const char *dir, long from)
{
	char path[SCRATCH_PATH];
	FILE *f;

	job_log_path(dir, path);
	f = fopen(path, "re");
	if (f && fseek(f, from, SEEK_SET) != 0)
		rewind(f);
	return f;
}

void job_log_add_end(const char *dir, int status)
{
	char path[SCRATCH_PATH];
	FILE *f;

	job_log_path(dir, path);
	f = status != 0 ? fopen(path, "ae") : NULL;
	if (!f)
		return;
	if (WIFSIGNALED(status))
		fprintf(f, "%ssignal %d, %s\n", own, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(f, "%sexit status %d\n", own, WEXITSTATUS(status));
	fclose(f);
}

bool job_log_says_killed(const char *dir, long from)
{
	static const char *const words[] = { "signal 9 (Killed)", "ERR_PROC_FAILED" };
	FILE *f = job_log_open(dir, from);
	char line[LINE];
	bool said = false;

	while (f && !said && text_line(f, line, sizeof line))
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			said = said || strstr(line, words[i]);
	if (f)
		fclose(f);
	return said;
}

/* Messages of the MPI stand between two rules, as wide as a line. Other lines are each for
 * themselves. */
static bool is_rule(const char *line)
{
	const size_t blanks = strspn(line, " \t"), dashes = strspn(line + blanks, "-");

	return dashes >= RULE && line[blanks + dashes] == '\0';
}

/* Add a line with single blanks between its words; what does not fit is cut off. */
static void add_words(char out[MESSAGE], const char *line)
{
	size_t used = strlen(out);

	for (; *line && used < MESSAGE - 1; line++)
		if (*line != ' ' && *line != '\t')
			out[used++] = *line;
		else if (used > 0 && out[used - 1] != ' ')
			out[used++] = ' ';
	if (used > 0 && used < MESSAGE - 1 && out[used - 1] != ' ')
		out[used++] = ' ';
	out[used] = '\0';
}

/* What was found so far. */
struct reading {
	char worker[MESSAGE]; /* "": none */
	char known[MESSAGE];
	const char *remedy;  /* of `known`; NULL: no cause is known yet */
	char first[MESSAGE]; /* message between rules */
	char last[MESSAGE];  /* line outside of them */
	bool kills;
};

static void take_message(struct reading *r, const char *message, bool ruled)
{
	const char *remedy;

	if (!message[0])
		return;
	remedy = r->remedy ? NULL : job_causes_remedy(message, r->kills);
	if (remedy) {
		r->remedy = remedy;
		memcpy(r->known, message, MESSAGE);
	}
	if (!ruled && !(r->last[0] && strncmp(message, own, strlen(own)) == 0))
		memcpy(r->last, message, MESSAGE);
	if (ruled && !r->first[0] && strncmp(message, "WARNING", 7) != 0)
		memcpy(r->first, message, MESSAGE);
}

static void read_log(struct reading *r, FILE *f)
{
	char line[LINE], message[MESSAGE] = "";
	bool ruled = false;

	while (!r->worker[0] && text_line(f, line, sizeof line)) {
		if (strncmp(line, "rollbench worker:", 17) == 0)
			add_words(r->worker, line);
		if (!is_rule(line))
			add_words(message, line);
		if (!ruled || is_rule(line)) {
			take_message(r, message, ruled);
			message[0] = '\0';
		}
		ruled = ruled != is_rule(line);
	}
	take_message(r, message, ruled);
}

/* Leave out the middle of a text, so that `room` bytes hold it: the MPI's messages begin with what
 * has happened, and end with the names and values that belong to it. */
static void shorten(char *text, size_t room)
{
	static const char gap[] = " ...";
	size_t length = strlen(text), head = room / 2, tail;

	while (length > 0 && text[length - 1] == ' ')
		text[--length] = '\0';
	if (length < room)
		return;
	while (head > 0 && text[head] != ' ')
		head--;
	tail = length - (room - head - sizeof gap);
	while (text[tail] && text[tail] != ' ')
		tail++;
	memcpy(text + head, gap, sizeof gap - 1);
	memmove(text + head + sizeof gap - 1, text + tail, length - tail + 1);
}

/* f: closed; NULL: there is nothing. Returns whether there is a remedy. */
static bool explain(FILE *f, bool kills, char out[JOB_LOG_TEXT])
{
	static const char remedy[] = "; remedy: ";
	struct reading r = { .kills = kills };
	char *text;

	if (f) {
		read_log(&r, f);
		fclose(f);
	}
	text = r.worker[0] ? r.worker : r.remedy ? r.known : r.first[0] ? r.first : r.last;
	if (r.worker[0])
		r.remedy = NULL;
	else if (strncmp(text, own, strlen(own)) == 0 && !r.remedy)
		r.remedy = "the same command again, since PRRTE can lose the message with which it "
			   "ends (docs/ulfm-notes.md)";
	shorten(text, JOB_LOG_TEXT - (r.remedy ? sizeof remedy + strlen(r.remedy) : 0));
	snprintf(out, JOB_LOG_TEXT, "%s%s%s",
		 text[0] ? text : "nothing (perhaps no process was left)", r.remedy ? remedy : "",
		 r.remedy ? r.remedy : "");
	return r.remedy;
}

bool job_log_explain(const char *dir, long from, bool kills, char out[JOB_LOG_TEXT])
{
	return explain(job_log_open(dir, from), kills, out);
}

bool job_log_explain_text(const char *text, char out[JOB_LOG_TEXT])
{
	return explain(text[0] ? fmemopen((char *)(uintptr_t)text, strlen(text), "r") : NULL, true,
		       out);
}

void job_log_leave(const char *dir)
{
	static bool done;
	char path[SCRATCH_PATH], left[SCRATCH_PATH];

	job_log_path(dir, path);
	snprintf(left, sizeof left, "%s.log", dir);
	if (done || rename(path, left) != 0)
		return;
	done = true;
	fprintf(stderr, "rollbench: the log of the job that did not start: %s\n", left);
}

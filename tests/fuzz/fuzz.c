/* Damaged experiment files, profiles and records, thousands a second, read as the command reads
 * them.
 *
 * usage: fuzz SECONDS SEED FOLDER FILE ...
 *
 * Each round takes one of the FILEs, damages it in one to eight places and has it read. A finding
 * is: a sanitizer's report, a reader that takes more than a minute, or a complaint about a YAML
 * file that does not begin with file and line. FOLDER then still holds the input. The same SEED
 * gives the same rounds. */
#include "base/clock.h"
#include "base/mix.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/record/power_model.h"
#include "harness/watts/series.h"
#include "harness/sweep/sweep_list.h"
#include "harness/sweep/sweep_plan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 256, BYTES_MAX = 64 << 10, PATIENCE_S = 60 };

struct text {
	const char *name;
	char *byte;
	size_t length;
};

struct fuzz {
	struct text file[FILES_MAX];
	int files;
	uint64_t state;
	char input[512], absent[512];
	long rounds[4], refused[4]; /* experiments, profiles, records, series */
};

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	/* A number in a file may ask for any amount of memory: that is refused, not a finding. */
	return "allocator_may_return_null=1:detect_leaks=1:max_allocation_size_mb=4096";
}

static int complaints; /* where findings are told */

static size_t below(struct fuzz *f, size_t n)
{
	return n ? mix_draw(&f->state) % n : 0;
}

static const char *const words[] = {
	"0",
	"-1",
	"1",
	"2147483648",
	"-9223372036854775808",
	"99999999999999999999",
	"1e308",
	"nan",
	"inf",
	"0x7f",
	"null",
	"~",
	"true",
	"\"\"",
	"[]",
	"{}",
	"[[[[[[[[",
	"]",
	"}",
	"{",
	",",
	":",
	"- ",
	"\n",
	"\t",
	"  ",
	"&a ",
	"*a",
	"!!int ",
	"|",
	">",
	"#",
	"%",
	"budget:1%",
	"budget:99%:clusters",
	"window:0",
	"teams:1",
	"all",
	"none",
	"0..99999",
	"1..0",
	"lulesh",
	"cg",
	"jacobi",
	"triad",
	"spare0",
	"node1",
	"repair+5",
	"op+0",
	"np: 8",
	"runs:",
	"---\n",
	"...\n",
	"%TAG ! x:\n",
	"%YAML 1.1\n",
	"? ",
	"''''''",
	"\n\n\n",
	"\xff\xfe",
	"\xef\xbb\xbf",
	"\xc3",
	"'",
	"\"",
	"\\u0000",
	"a|b|c",
	"3@3",
	"-",
	"file,buddy",
};

/* Replace n bytes at `at` by others. */
static void splice(struct text *t, size_t at, size_t n, const char *with, size_t length)
{
	if (t->length - n + length > BYTES_MAX)
		return;
	memmove(t->byte + at + length, t->byte + at + n, t->length - at - n);
	memcpy(t->byte + at, with, length);
	t->length += length - n;
}

static size_t line_start(const struct text *t, size_t at)
{
	while (at > 0 && t->byte[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_length(const struct text *t, size_t at)
{
	const char *end = memchr(t->byte + at, '\n', t->length - at);

	return end ? (size_t)(end - t->byte) + 1 - at : t->length - at;
}

static void damage_a_number(struct fuzz *f, struct text *t)
{
	const char *word = words[below(f, 10)];
	size_t at = below(f, t->length), end;

	while (at < t->length && !isdigit((unsigned char)t->byte[at]))
		at++;
	for (end = at; end < t->length && isdigit((unsigned char)t->byte[end]); end++)
		;
	splice(t, at, end - at, word, strlen(word));
}

static void damage(struct fuzz *f, struct text *t)
{
	size_t at = below(f, t->length), start = line_start(t, at), n = line_length(t, start);
	const struct text *other = &f->file[below(f, (size_t)f->files)];
	const char *word = words[below(f, sizeof words / sizeof *words)];
	char line[4096];

	switch (t->length ? below(f, 10) : 3) {
	case 0:
		t->byte[at] ^= (char)(1 << below(f, 8));
		break;
	case 1:
		splice(t, at, 1 + below(f, t->length - at < 16 ? t->length - at : 16), "", 0);
		break;
	case 2: /* a line twice */
		n = n < sizeof line ? n : sizeof line;
		memcpy(line, t->byte + start, n);
		splice(t, start, 0, line, n);
		break;
	case 3:
		splice(t, at, 0, word, strlen(word));
		break;
	case 4:
		splice(t, start, n, "", 0);
		break;
	case 5:
		t->length = at;
		break;
	case 6: /* other indentation */
		splice(t, start, 0, "        ", 1 + below(f, 8));
		break;
	case 7:
		at = below(f, other->length);
		n = line_length(other, line_start(other, at));
		splice(t, start, 0, other->byte + line_start(other, at), n);
		break;
	default:
		damage_a_number(f, t);
	}
}

static void keep(const struct fuzz *f, const struct text *t)
{
	FILE *out = fopen(f->input, "we");

	if (!out || fwrite(t->byte, 1, t->length, out) != t->length || fclose(out) != 0) {
		perror(f->input);
		exit(2);
	}
}

static void finding(const char *what, const char *of)
{
	dprintf(complaints, "finding: %s%s\n", what, of);
	exit(1);
}

/* "input:12: what". */
static void check_located(const struct fuzz *f, const char *complaint)
{
	size_t n = strlen(f->input);
	const char *at = complaint + n + 1;

	if (strncmp(complaint, f->input, n) == 0 && complaint[n] == ':' &&
	    isdigit((unsigned char)*at) && at[strspn(at, "0123456789")] == ':')
		return;
	finding("a complaint without file and line: ", complaint);
}

static void list_runs(const struct fuzz *f, const struct sweep_plan *plan)
{
	struct sweep_list *list;
	struct rb_error err;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to && sweep_list_make(&list, plan, f->absent, false, &err) == RB_OK) {
		sweep_list_say(list, to);
		sweep_list_dump(list, to, &err);
	}
	if (to) {
		sweep_list_free(list);
		fclose(to);
	}
	free(text);
}

static bool read_experiment(struct fuzz *f)
{
	struct yaml_file *file = NULL;
	struct experiment *experiment;
	struct sweep_plan plan;
	struct rb_error err;
	int rc = yaml_load(f->input, "docs/experiments.md", &file, &err);

	if (rc == RB_OK)
		rc = experiment_read(file, &experiment, &err);
	if (rc == RB_OK) {
		rc = sweep_plan_make(experiment, all_kinds, NULL, &plan, &err);
		if (rc == RB_OK) {
			list_runs(f, &plan);
			sweep_plan_free(&plan);
		}
	}
	yaml_free(file);
	if (rc == RB_EINVAL)
		check_located(f, err.text);
	return rc == RB_OK;
}

static bool read_profile(struct fuzz *f)
{
	struct power_model *model = NULL;
	struct rb_error err;
	int rc = power_model_load(f->input, &model, &err);

	if (rc == RB_EINVAL)
		check_located(f, err.text);
	if (rc == RB_OK)
		power_model_free(model);
	return rc == RB_OK;
}

static bool read_record(struct fuzz *f)
{
	char *explain[] = { "explain", "--record", f->input, NULL };

	return cmd_explain(3, explain) != 2;
}

static bool read_series(struct fuzz *f)
{
	FILE *in = fopen(f->input, "re");
	struct rb_error err;
	struct series s;
	double mean;
	int rc;

	if (!in)
		exit(2);
	rc = series_read(&s, in, f->input, &err);
	fclose(in);
	if (rc == RB_EINVAL)
		check_located(f, err.text);
	if (rc != RB_OK)
		return false;
	for (size_t i = 0; i < s.count; i++) {
		const struct series_node *n = &s.node[i];
		double begin = n->reading[0].time, end = n->reading[n->count - 1].time;
		double joules = series_joules(n->reading, n->count, begin, end);

		if (!(joules >= 0) ||
		    series_within(n->reading, n->count, begin, end, &mean) != n->count ||
		    !(mean >= 0) || !(series_gap(n->reading, n->count, begin, end) <= end - begin))
			finding("a series without a sum: ", n->name);
	}
	series_free(&s);
	return true;
}

static void round_of(struct fuzz *f)
{
	static bool (*const readers[])(struct fuzz *f) = { read_experiment, read_profile,
							   read_record, read_series };
	const struct text *from = &f->file[below(f, (size_t)f->files)];
	struct text t = { from->name, malloc(BYTES_MAX + 1), from->length };
	int kind = strstr(t.name, ".csv")          ? 3
		   : strstr(t.name, ".json")       ? 2
		   : strstr(t.name, "power-model") ? 1
						   : 0;

	if (!t.byte)
		exit(2);
	memcpy(t.byte, from->byte, t.length);
	for (size_t n = 1 + below(f, 8); n > 0; n--)
		damage(f, &t);
	keep(f, &t);
	free(t.byte);
	alarm(PATIENCE_S);
	f->refused[kind] += !readers[kind](f);
	alarm(0);
	f->rounds[kind]++;
}

static void load(struct fuzz *f, const char *name)
{
	struct text *t = &f->file[f->files];
	FILE *in = fopen(name, "re");

	t->name = name;
	t->byte = malloc(BYTES_MAX);
	if (!in || !t->byte || f->files == FILES_MAX - 1) {
		perror(name);
		exit(2);
	}
	t->length = fread(t->byte, 1, BYTES_MAX / 2, in);
	fclose(in);
	f->files++;
}

int main(int argc, char **argv)
{
	static struct fuzz f;
	double end;
	int told;

	if (argc < 5)
		return 2;
	f.state = strtoull(argv[2], NULL, 10);
	snprintf(f.input, sizeof f.input, "%s/input", argv[3]);
	snprintf(f.absent, sizeof f.absent, "%s/absent", argv[3]);
	for (int i = 4; i < argc; i++)
		load(&f, argv[i]);
	/* What the readers print is of no interest; sanitizers report to FOLDER/report.PID
	 * (ASAN_OPTIONS). */
	told = dup(STDOUT_FILENO);
	complaints = dup(STDERR_FILENO);
	if (told < 0 || complaints < 0 || !freopen("/dev/null", "w", stdout) ||
	    !freopen("/dev/null", "w", stderr))
		return 2;
	end = clock_monotonic() + strtod(argv[1], NULL);
	while (clock_monotonic() < end)
		round_of(&f);
	for (int i = 0; i < f.files; i++)
		free(f.file[i].byte);
	dprintf(told,
		"experiments %ld, refused %ld; profiles %ld, refused %ld; records %ld, refused "
		"%ld; series %ld, refused %ld\n",
		f.rounds[0], f.refused[0], f.rounds[1], f.refused[1], f.rounds[2], f.refused[2],
		f.rounds[3], f.refused[3]);
	return 0;
}

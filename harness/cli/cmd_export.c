#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/export/export.h"
#include "harness/spec/options.h"
#include "harness/store/store.h"
#include "harness/sweep/sweep_plan.h"
#include "harness/record/trace_cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
	"usage: rollbench export --csv RESULTS-FOLDER [--out DIR]\n"
	"\n"
	"The records of a sweep as tables, for statistics elsewhere: runs.csv, one row per run;\n"
	"failures.csv, one per role that died; roles.csv, one per role and iteration where there is a\n"
	"trace (--meters iterations), else one per role. RFC 4180; what was not measured is an empty\n"
	"cell. The columns and their units: docs/record.md. Where spans had no room in a trace, it is\n"
	"said, and iterations that lack some have no sums.\n"
	"\n"
	"  --csv       the format\n"
	"  --out DIR   where the tables go (default: the results folder); made if need be\n"
	"  --help      this text\n"
	"\n"
	"exit status: 0, 1 if a record was changed since it was written (it is said, and left out), 2\n"
	"bad input or a folder that cannot be read or written\n";

struct request {
	const char *folder, *out;
	bool csv;
};

struct table {
	char *text;
	size_t size, rows;
	FILE *to;
};

static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	struct options o = { argc, argv, 1, "", NULL };

	while (options_next(&o)) {
		if (!o.name[0] && !r->folder)
			r->folder = o.value;
		else if (strcmp(o.name, "csv") == 0 && !o.value)
			r->csv = true;
		else if (strcmp(o.name, "out") == 0)
			RB_TRY(options_value(&o, &r->out, err));
		else
			return rb_fail(err, RB_EINVAL, "%s%s: unexpected; see --help",
				       o.name[0] ? "--" : "", o.name[0] ? o.name : o.value);
	}
	if (!r->csv)
		return rb_fail(err, RB_EINVAL, "expected a format: --csv");
	if (!r->folder)
		return rb_fail(err, RB_EINVAL, "expected a folder of results, for instance results/run-all");
	if (!r->out)
		r->out = r->folder;
	return RB_OK;
}

static void say_what_is_lacking(const struct store *s, const char *id, const json_t *record)
{
	json_int_t spans = trace_cut_spans(record);

	if (spans > 0)
		fprintf(stderr, "%s/%s.json: %" JSON_INTEGER_FORMAT " spans had no room in its trace: "
			"iterations that lack some have no sums in roles.csv, or no row\n", s->dir, id, spans);
}

/* A changed record is no measurement. false: it was left out. */
static bool add_record(const struct store *s, const char *id, json_int_t warm_up, struct table *table)
{
	struct store_file file;
	enum store_state state = store_read(s, id, &file);
	json_t *record = file.text ? json_loadb(file.text, file.size, 0, NULL) : NULL;
	bool good = json_is_object(record) && state != STORE_CHANGED;

	store_file_free(&file);
	if (good)
		json_object_set_new(record, "warm_up", json_boolean(sweep_plan_is_warm_up(id, warm_up)));
	for (int t = 0; good && t < EXPORT_TABLES; t++)
		table[t].rows += export_rows(table[t].to, (enum export_table)t, record);
	if (good)
		say_what_is_lacking(s, id, record);
	json_decref(record);
	if (!good && state != STORE_ABSENT)
		fprintf(stderr, "%s/%s.json: left out: not the file that was written (rollbench store "
			"verify)\n", s->dir, id);
	return good || state == STORE_ABSENT;
}

static int save(const struct request *r, enum export_table t, const struct table *table,
		struct rb_error *err)
{
	struct record_file file = { .fd = -1 };
	char path[SPEC_PATH];

	if (mkdir(r->out, 0777) != 0 && errno != EEXIST)
		return rb_fail(err, RB_EIO, "--out %s: %s", r->out, strerror(errno));
	if (snprintf(path, sizeof path, "%s/%s", r->out, export_file(t)) >= (int)sizeof path)
		return rb_fail(err, RB_EINVAL, "--out: the path is too long");
	RB_TRY(record_open(&file, path, err));
	RB_TRY(record_write(&file, table->text, table->size, err));
	RB_TRY(record_place(&file, err));
	printf("%s: %zu rows\n", path, table->rows);
	return RB_OK;
}

/* Fills the tables; *left_out: records that were. */
static int collect(const struct store *s, struct table *table, size_t *left_out, struct rb_error *err)
{
	json_t *sweep = store_sweep(s), *id;
	json_int_t warm_up = json_integer_value(json_object_get(sweep, "warm_up")); /* 0 if it does not say */
	size_t i;

	if (!sweep)
		return rb_fail(err, RB_EINVAL, "%s: no sweep.json; expected the results folder of a sweep",
			       s->dir);
	for (int t = 0; t < EXPORT_TABLES; t++) {
		table[t].to = open_memstream(&table[t].text, &table[t].size);
		if (!table[t].to) {
			json_decref(sweep);
			return rb_fail(err, RB_ENOMEM, "out of memory");
		}
		export_header(table[t].to, (enum export_table)t);
	}
	json_array_foreach(json_object_get(sweep, "runs"), i, id)
		if (json_is_string(id))
			*left_out += !add_record(s, json_string_value(id), warm_up, table);
	json_decref(sweep);
	return RB_OK;
}

static int export(const struct request *r, size_t *left_out, struct rb_error *err)
{
	struct table table[EXPORT_TABLES] = { 0 };
	struct store s;
	int rc = store_open_to_read(&s, r->folder, err);

	if (rc == RB_OK)
		rc = collect(&s, table, left_out, err);
	store_close(&s);
	for (int t = 0; t < EXPORT_TABLES; t++)
		if (table[t].to && fclose(table[t].to) != 0 && rc == RB_OK)
			rc = rb_fail(err, RB_ENOMEM, "out of memory");
	for (int t = 0; t < EXPORT_TABLES && rc == RB_OK; t++)
		rc = save(r, (enum export_table)t, &table[t], err);
	for (int t = 0; t < EXPORT_TABLES; t++)
		free(table[t].text);
	return rc;
}

int cmd_export(int argc, char **argv)
{
	struct request r = { 0 };
	struct rb_error err;
	size_t left_out = 0;

	if (options_help(argc, argv)) {
		fputs(usage, stdout);
		return 0;
	}
	if (parse(argc, argv, &r, &err) != RB_OK || export(&r, &left_out, &err) != RB_OK)
		return refused_status("export", &err);
	return left_out > 0 ? STATUS_WRONG : 0;
}

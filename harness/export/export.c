#include "harness/export/export.h"

#include "harness/export/csv.h"
#include "harness/export/export_roles.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct csv_column runs[] = {
	{ "id", "id" },
	{ "key", "key" },
	{ "status", "status" },
	{ "message", "message" },
	{ "equal", "compared.equal" },
	{ "reference", "compared.reference" },
	{ "warm_up", "warm_up" },
	{ "kernel", "kernel" },
	{ "params", "params_text" },
	{ "layout", "layout" },
	{ "np", "np" },
	{ "spares", "spares" },
	{ "strategy", "strategy" },
	{ "policy", "policy" },
	{ "policy_asked", "policy_asked" },
	{ "power", "power" },
	{ "interval", "interval" },
	{ "ckpt", "ckpt" },
	{ "ckpt_lag", "ckpt_lag" },
	{ "replace", "replace" },
	{ "node_size", "node_size" },
	{ "meters", "meters.detail" },
	{ "plan", "plan" },
	{ "failures", "#failures" },
	{ "unfired", "#unfired" },
	{ "restarts", "restarts" },
	{ "resumed", "resumed" },
	{ "lingered", "lingered" },
	{ "oversubscribed", "oversubscribed" },
	{ "power_trouble", "power_trouble_text" },
	{ "verdict_ok", "verdict.ok" },
	{ "verdict_value", "verdict.value" },
	{ "verdict_reference", "verdict.reference" },
	{ "state_hash", "state_hash" },
	{ "iterations_useful", "iterations.useful" },
	{ "iterations_executed", "iterations.executed" },
	{ "iterations_repeated", "iterations.repeated" },
	{ "iterations_aborted", "iterations.aborted" },
	{ "loop_s", "loop_s" },
	{ "wall_s", "wall_s" },
	{ "deadline_s", "deadline_s" },
	{ "log_peak_max_bytes", "log.bytes_peak.max" },
	{ "log_peak_sum_bytes", "log.bytes_peak.sum" },
	{ "log_total_max_bytes", "log.bytes_total.max" },
	{ "log_total_sum_bytes", "log.bytes_total.sum" },
	{ "checkpoints", "checkpoints.count" },
	{ "checkpoints_bytes", "checkpoints.bytes" },
	{ "checkpoints_max_s", "checkpoints.seconds_max" },
	{ "package_j", "energy.package_j" },
	{ "core_j", "energy.core_j" },
	{ "uncore_j", "energy.uncore_j" },
	{ "dram_j", "energy.dram_j" },
	{ "psys_j", "energy.psys_j" },
	{ "modelled_j", "modelled.energy_j" },
	{ "modelled_profile", "modelled.profile.name" },
	{ "modelled_unmeasured", "modelled.unmeasured" },
	{ "modelled_reason", "modelled.reason" },
	{ "hosts", "hosts" },
	{ "lost_hosts", "lost_hosts" },
	{ "host", "host.hostname" },
	{ "cpu", "host.cpu" },
	{ "cores", "host.cores" },
	{ "mpi", "host.mpi" },
	{ "mpirun", "host.mpirun" },
	{ "compiler", "host.compiler" },
	{ "flags", "host.flags" },
	{ "commit", "host.commit" },
	{ "finished_at", "finished_at" },
	{ NULL, NULL },
};

static const struct csv_column failures[] = {
	{ "id", "id" },
	{ "failure", "number" },
	{ "role", "role" },
	{ "iteration", "iteration" },
	{ "phase", "phase" },
	{ "kill", "kill" },
	{ "epoch", "epoch" },
	{ "checkpoint", "checkpoint" },
	{ "rollback_set", "rollback_set" },
	{ "rolled_back", "#rollback_set" },
	{ "active", "active" },
	{ "blocked", "blocked" },
	{ "chain", "chain" },
	{ "replayed_bytes", "replayed_bytes" },
	{ "replaced_by", "replaced_by" },
	{ "blocked_wait_s", "blocked_wait_s" },
	{ "blocked_cpu_s", "blocked_cpu_s" },
	{ "detect_s", "detect_s" },
	{ "shrink_s", "shrink_s" },
	{ "repair_s", "repair_s" },
	{ "resume_s", "resume_s" },
	{ "restart_s", "restart_s" },
	{ "restore_s", "restore_s" },
	{ "replay_s", "replay_s" },
	{ "catchup_s", "catchup_s" },
	{ "wait_s", "wait_s" },
	{ NULL, NULL },
};

static const struct {
	const char *file;
	const struct csv_column *columns;
} tables[EXPORT_TABLES] = {
	[EXPORT_RUNS] = { "runs.csv", runs },
	[EXPORT_FAILURES] = { "failures.csv", failures },
	[EXPORT_ROLES] = { "roles.csv", export_roles_columns },
};

const char *export_file(enum export_table table)
{
	return tables[table].file;
}

void export_header(FILE *to, enum export_table table)
{
	csv_header(to, tables[table].columns);
}

/* Kernels have different parameters: "grid=48 steps=40". */
static json_t *params_text(const json_t *record)
{
	const char *name;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *value, *json;

	if (!out)
		return json_null();
	json_object_foreach(json_object_get(record, "params"), name, value)
		fprintf(out, "%s%s=%s", ftell(out) > 0 ? " " : "", name, json_string_value(value));
	fclose(out);
	json = json_string(text);
	free(text);
	return json;
}

/* "role 0: what went wrong; role 3: ..."; empty if nothing did, null if the record does not say. */
static json_t *trouble_text(const json_t *record)
{
	const json_t *list = json_object_get(record, "power_trouble"), *item;
	char *text = NULL;
	size_t size, i;
	FILE *out = json_is_array(list) ? open_memstream(&text, &size) : NULL;
	json_t *json;

	if (!out)
		return json_null();
	json_array_foreach(list, i, item) {
		const char *what = json_string_value(json_object_get(item, "text"));

		fprintf(out, "%srole %" JSON_INTEGER_FORMAT ": %s", i ? "; " : "",
			json_integer_value(json_object_get(item, "role")), what ? what : "");
	}
	fclose(out);
	json = json_string(text);
	free(text);
	return json;
}

static size_t run_row(FILE *to, const json_t *record)
{
	json_t *row = json_copy((json_t *)(uintptr_t)record);

	json_object_set_new(row, "params_text", params_text(record));
	json_object_set_new(row, "power_trouble_text", trouble_text(record));
	csv_line(to, runs, row);
	json_decref(row);
	return 1;
}

static size_t failure_rows(FILE *to, const json_t *record)
{
	json_t *failure;
	size_t i;

	json_array_foreach(json_object_get(record, "failures"), i, failure) {
		json_t *row = json_copy(failure);

		json_object_set(row, "id", json_object_get(record, "id"));
		json_object_set_new(row, "number", json_integer((json_int_t)i));
		csv_line(to, failures, row);
		json_decref(row);
	}
	return json_array_size(json_object_get(record, "failures"));
}

size_t export_rows(FILE *to, enum export_table table, const json_t *record)
{
	if (table == EXPORT_RUNS)
		return run_row(to, record);
	return table == EXPORT_FAILURES ? failure_rows(to, record) : export_roles(to, record);
}

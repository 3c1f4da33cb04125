/* The text that `run` prints; all of it is in the record, too. */
#include "harness/kind/engine/engine_run.h"
#include "harness/machine/pin.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static void warn_memory(const struct run_spec *spec, const struct kernel_plan *plan, FILE *to)
{
	/* In a data-flow rollback each role can have a duplicate; a copy is of all that changes, at
	 * most of everything. */
	const int times = 1 + ft_is_dataflow(spec->recompute) + (spec->transaction == FT_COPY);
	double need = plan->bytes_per_role * spec->np * times;
	double have = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	if (need > have)
		fprintf(to,
			"warning: about %.1f GiB are needed and %.1f GiB are free here; the "
			"system may end ranks for lack of memory\n",
			need / (1 << 30), have / (1 << 30));
}

/* Nobody named them on the command line. */
static void say_allocation(const struct hosts *hosts, FILE *to)
{
	for (int i = 0; hosts && !hosts->file && i < hosts->count; i++)
		fprintf(to, "%s%s%s", i ? ", " : "hosts of the allocation: ", hosts->host[i].name,
			i + 1 < hosts->count ? "" : "\n");
}

void say_plan(const struct run_spec *spec, const struct kernel_plan *plan, FILE *to)
{
	struct pin_machine machine = pin_machine();

	fprintf(to, "%s", spec->kernel->name);
	for (int i = 0; spec->kernel->options[i].name; i++)
		fprintf(to, " %s=%s", spec->kernel->options[i].name, spec->value[i]);
	fprintf(to, ", %s, %d spare%s, policy %s, ", plan->layout, spec->spares,
		spec->spares == 1 ? "" : "s", spec->policy);
	if (spec->ckpt_first > 0)
		fprintf(to, "first checkpoint after %" PRId64 ", then every %" PRId64 " ",
			spec->ckpt_first, spec->interval);
	else
		fprintf(to, "checkpoint every %" PRId64 " ", spec->interval);
	if (plan->open_ended)
		fprintf(to, "iterations, as many as it takes\n");
	else
		fprintf(to, "of %" PRId64 " iterations\n", plan->iterations);
	say_allocation(spec->hosts, to);
	if (machine.cores > 0 && spec->np + spec->spares > machine.cores)
		fprintf(to,
			"warning: oversubscribed: %d ranks on %d cores; trust counts, but "
			"neither seconds nor their ratios\n",
			spec->np + spec->spares, machine.cores);
	warn_memory(spec, plan, to);
	for (size_t k = 0; k < spec->plan.count; k++)
		if (spec->plan.kill[k].iter > plan->iterations ||
		    (spec->plan.kill[k].iter == plan->iterations &&
		     spec->plan.kill[k].phase <= INJECT_CHECKPOINT)) {
			char text[INJECT_TEXT];

			inject_format(&spec->plan.kill[k], text, sizeof text);
			fprintf(to,
				"warning: --kill %s can hardly fire: the run has iterations "
				"0..%" PRId64 "\n",
				text, plan->iterations - 1);
		}
}

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static long long whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void say_failure(const json_t *failure, FILE *to)
{
	static const char *const times[][2] = { { "detect_s", "detect" },
						{ "repair_s", "repair" },
						{ "restore_s", "restore" },
						{ "replay_s", "replay" },
						{ "catchup_s", "catch-up" } };
	const json_t *role;
	size_t i;

	fprintf(to, "role %lld died in iteration %lld (%s); back to iteration %lld:",
		whole(failure, "role"), whole(failure, "iteration"), text(failure, "phase"),
		whole(failure, "checkpoint"));
	json_array_foreach(json_object_get(failure, "rollback_set"), i, role)
		fprintf(to, " %" JSON_INTEGER_FORMAT, json_integer_value(role));
	for (i = 0; i < sizeof times / sizeof *times; i++)
		if (json_is_number(json_object_get(failure, times[i][0])))
			fprintf(to, ", %s %.4f s", times[i][1], real(failure, times[i][0]));
		else
			fprintf(to, ", %s not measured", times[i][1]);
	fprintf(to, "\n");
}

static void say_verdict(const json_t *record, FILE *to)
{
	const json_t *verdict = json_object_get(record, "verdict");
	char known[32] = "unknown";

	if (!json_is_object(verdict))
		return;
	if (json_is_number(json_object_get(verdict, "reference")))
		snprintf(known, sizeof known, "%.15g", real(verdict, "reference"));
	fprintf(to, "%s = %.15g, reference %s: %s (%s)\nstate hash %s\n", text(verdict, "what"),
		real(verdict, "value"), known,
		json_is_true(json_object_get(verdict, "ok")) ? "verified" : "NOT verified",
		text(verdict, "note"), text(record, "state_hash"));
}

static void say_modelled(const json_t *modelled, FILE *to)
{
	bool lost = json_array_size(json_object_get(modelled, "unmeasured")) > 0;

	if (!json_is_object(modelled))
		return;
	if (json_is_number(json_object_get(modelled, "energy_j")))
		fprintf(to, "modelled energy (profile %s, not measured): %.4g J%s\n",
			text(json_object_get(modelled, "profile"), "name"),
			real(modelled, "energy_j"),
			lost ? ", without the cores of roles that lost a process" : "");
	else
		fprintf(to, "modelled energy: none: %s\n", text(modelled, "reason"));
}

static void say_watts(const json_t *watts, FILE *to)
{
	const json_t *node;
	size_t i;

	if (!json_is_object(watts))
		return;
	if (json_is_string(json_object_get(watts, "reason")))
		fprintf(to, "warning: watts: none: %s\n", text(watts, "reason"));
	json_array_foreach(json_object_get(watts, "nodes"), i, node) {
		if (json_is_number(json_object_get(node, "mean_w")))
			fprintf(to, "watts: %s: %.4g W, mean of %lld readings; ",
				text(node, "node"), real(node, "mean_w"), whole(node, "samples"));
		else
			fprintf(to, "warning: watts: %s: ", text(node, "node"));
		if (json_is_number(json_object_get(node, "energy_j")))
			fprintf(to, "%.4g J in %.3f s\n", real(node, "energy_j"),
				real(watts, "seconds"));
		else
			fprintf(to, "no energy: %s\n", text(node, "reason"));
	}
	if (json_is_string(json_object_get(watts, "command_ended")))
		fprintf(to, "warning: the command of --watts ended before the run did: %s\n",
			text(watts, "command_ended"));
	json_array_foreach(json_object_get(watts, "unknown_nodes"), i, node)
		fprintf(to,
			"warning: watts: node %s, line %lld: no host of this run has that name\n",
			text(node, "node"), whole(node, "line"));
}

static void say_transport(const json_t *transport, FILE *to)
{
	if (json_is_false(json_object_get(transport, "shared_memory")))
		fprintf(to, "warning: messages within a host travelled by TCP, since there was no "
			    "room for the MPI's shared memory, 16 MiB a rank; remedy: a larger "
			    "/dev/shm (`df /dev/shm`; in a container --shm-size)\n");
}

static void say_detector(const json_t *detector, FILE *to)
{
	if (json_object_get(detector, "why"))
		fprintf(to,
			"warning: survivors were notified of deaths by the runtime of the MPI "
			"alone, some milliseconds later: %s\n",
			text(detector, "why"));
}

/* The harness sees no process that could not write, so it counts those that did. */
static void say_timeline(const json_t *record, FILE *to)
{
	const json_t *processes = json_object_get(json_object_get(record, "timeline"), "processes"),
		     *process;
	const long long all = whole(record, "np") + whole(record, "spares");
	long long dropped = 0;
	size_t i;

	if (!processes)
		return;
	json_array_foreach(processes, i, process)
		dropped += whole(process, "dropped");
	if ((long long)json_array_size(processes) < all)
		fprintf(to,
			"warning: the timeline has %zu processes of at least %lld; mpirun.log in "
			"the run folder (--keep) says why the others wrote none\n",
			json_array_size(processes), all);
	if (dropped > 0)
		fprintf(to,
			"warning: the timeline had no room for %lld rows; make fewer iterations\n",
			dropped);
}

void say_outcome(const json_t *record, FILE *to)
{
	const json_t *iterations = json_object_get(record, "iterations"), *item;
	const char *message = text(record, "message");
	size_t i;

	json_array_foreach(json_object_get(record, "failures"), i, item)
		say_failure(item, to);
	json_array_foreach(json_object_get(record, "unfired"), i, item)
		fprintf(to, "warning: the kill %s never fired\n", json_string_value(item));
	json_array_foreach(json_object_get(record, "refused_checkpoints"), i, item)
		fprintf(to, "role %lld went back further: %s\n", whole(item, "role"),
			text(item, "last"));
	say_verdict(record, to);
	fprintf(to, "iterations: %lld executed, %lld aborted, %lld useful; wall %.2f s\n",
		whole(iterations, "executed"), whole(iterations, "aborted"),
		whole(iterations, "useful"), real(record, "wall_s"));
	say_modelled(json_object_get(record, "modelled"), to);
	say_watts(json_object_get(record, "watts"), to);
	say_timeline(record, to);
	json_array_foreach(json_object_get(record, "power_trouble"), i, item)
		fprintf(to, "warning: --power %s failed on the core of role %lld: %s\n",
			text(record, "power"), whole(item, "role"), text(item, "text"));
	say_transport(json_object_get(json_object_get(record, "host"), "transport"), to);
	say_detector(json_object_get(json_object_get(record, "host"), "detector"), to);
	json_array_foreach(json_object_get(record, "escalated"), i, item)
		fprintf(to,
			"warning: escalated: the %s of a job had not ended after %.1f s (limit "
			"%.1f s); it was ended and started again\n",
			text(item, "why"), real(item, "seconds"), real(item, "limit_s"));
	if (json_is_true(json_object_get(record, "lingered")))
		fprintf(to,
			"warning: all results were written, but MPI did not end, so the job was "
			"killed\n");
	fprintf(to, "status: %s%s%s\n", text(record, "status"), message ? ": " : "",
		message ? message : "");
}

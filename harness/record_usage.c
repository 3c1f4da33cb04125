#include "harness/record_usage.h"

#include "harness/usage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What all functions below read. */
struct usages {
	int np;
	const struct usage **of; /* np; NULL: the role left none */
	const struct ledger *ledger;
};

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static void set_energy(json_t *json, const double *energy_j)
{
	char key[16];

	for (int d = 0; d < METER_DOMAINS; d++) {
		snprintf(key, sizeof key, "%s_j", meter_domain_name((enum meter_domain)d));
		json_object_set_new(json, key, number(energy_j[d]));
	}
}

static bool any_energy(const double *energy_j)
{
	for (int d = 0; d < METER_DOMAINS; d++)
		if (isfinite(energy_j[d]))
			return true;
	return false;
}

/* {"step": {"spans": 25, "wall_s": ...}, ...}, without the phases that never occurred. */
static json_t *used(const struct usage *u, int32_t incarnations)
{
	json_t *phases = json_object();

	for (int p = 0; p < USAGE_PHASES; p++) {
		const struct usage_sum *sum = &u->sum[p];
		json_t *phase;

		if (sum->spans == 0)
			continue;
		phase = json_pack("{s:I, s:o, s:o, s:o, s:o}", "spans", (json_int_t)sum->spans,
				  "wall_s", number(sum->amount.wall_s), "cpu_s",
				  number(sum->amount.cpu_s), "cycles", number(sum->amount.cycles),
				  "instructions", number(sum->amount.instructions));
		if (any_energy(sum->amount.energy_j))
			set_energy(phase, sum->amount.energy_j);
		else
			json_object_set_new(phase, "package_j", json_null());
		json_object_set_new(phases, usage_phase_name(p), phase);
	}
	json_object_set_new(phases, "lost", json_integer(incarnations - 1));
	return phases;
}

static void add_used(const struct usages *u, json_t *roles)
{
	for (int r = 0; r < u->np; r++)
		json_object_set_new(json_array_get(roles, (size_t)r), "used",
				    u->of[r] ? used(u->of[r], u->ledger[r].incarnations) : json_null());
}

/* In the time-step loop, recoveries included. */
static bool in_loop(int phase)
{
	return phase != LEDGER_SETUP && phase != LEDGER_VERIFY && phase != LEDGER_CLOSE;
}

static void loop_energy(const struct usage *u, double *energy_j)
{
	for (int d = 0; d < METER_DOMAINS; d++)
		energy_j[d] = 0;
	for (int p = 0; p < USAGE_PHASES; p++)
		for (int d = 0; d < METER_DOMAINS && in_loop(p) && u->sum[p].spans > 0; d++)
			energy_j[d] += u->sum[p].amount.energy_j[d];
}

/* The role whose process read that package all the time; -1: none, and then who died of it. */
static int reader_of(const struct usages *u, const char *host, int package, int *died)
{
	int reader = -1;

	*died = -1;
	for (int r = 0; r < u->np; r++) {
		const struct usage *x = u->of[r];

		if (x && x->reader.package == package && x->reader.whole && strcmp(x->host, host) == 0)
			reader = r;
		if (x && x->lost_package == package && strcmp(x->lost_host, host) == 0)
			*died = r;
	}
	return reader;
}

/* Has a role with a lower number the same package? Then it has been told already. */
static bool told(const struct usages *u, int role)
{
	for (int r = 0; r < role; r++)
		if (u->of[r] && u->of[r]->bound_to == u->of[role]->bound_to &&
		    strcmp(u->of[r]->host, u->of[role]->host) == 0)
			return true;
	return false;
}

/* One package: its joules, or the reason why there are none, also in why[]. */
static json_t *package_json(const struct usages *u, int role, double *energy_j, char why[USAGE_WHY])
{
	const struct usage *any = u->of[role];
	int died, reader = reader_of(u, any->host, any->bound_to, &died);
	json_t *json;

	for (int d = 0; d < METER_DOMAINS; d++)
		energy_j[d] = NAN;
	why[0] = '\0';
	if (reader >= 0)
		loop_energy(u->of[reader], energy_j);
	if (reader >= 0 && u->of[reader]->reader.why[0])
		snprintf(why, USAGE_WHY, "%s", u->of[reader]->reader.why);
	else if (reader < 0 && died >= 0)
		snprintf(why, USAGE_WHY, "unmeasured: a process of role %d, which read it, died", died);
	else if (reader < 0)
		snprintf(why, USAGE_WHY, "unmeasured: no role read it from the beginning of the loop on");
	json = json_pack("{s:s, s:i, s:o, s:o}", "host", any->host, "package", any->bound_to, "reader",
			 reader >= 0 ? json_integer(reader) : json_null(), "reason", text_or_null(why));
	set_energy(json, energy_j);
	return json;
}

/* All packages that roles are bound to. A sum of which a part is missing is none. */
static json_t *energy(const struct usages *u)
{
	double sum[METER_DOMAINS] = { 0 }, one[METER_DOMAINS];
	char why[USAGE_WHY] = "", all[USAGE_WHY] = "";
	json_t *packages = json_array(), *json;

	for (int r = 0; r < u->np; r++) {
		if (!u->of[r] || u->of[r]->bound_to == METER_NONE || told(u, r))
			continue;
		json_array_append_new(packages, package_json(u, r, one, why));
		for (int d = 0; d < METER_DOMAINS; d++)
			sum[d] += one[d];
		if (!all[0])
			memcpy(all, why, sizeof all);
	}
	if (json_array_size(packages) == 0) {
		snprintf(all, sizeof all, "no role is bound to one package");
		for (int d = 0; d < METER_DOMAINS; d++)
			sum[d] = NAN;
	}
	json = json_pack("{s:o, s:o}", "reason", text_or_null(all), "packages", packages);
	set_energy(json, sum);
	return json;
}

static const struct usage *first(const struct usages *u, bool reader)
{
	for (int r = 0; r < u->np; r++)
		if (u->of[r] && (!reader || u->of[r]->reader.package != METER_NONE))
			return u->of[r];
	return NULL;
}

static json_t *meters(const struct usages *u, enum metering_detail detail)
{
	const struct usage *any = first(u, false), *reader = first(u, true);

	return json_pack("{s:s, s:o, s:o, s:{s:o, s:o}}", "detail", metering_name(detail), "cycles",
			 any ? text_or_null(any->cycles_why) : json_string("not metered"),
			 "instructions",
			 any ? text_or_null(any->instructions_why) : json_string("not metered"), "energy",
			 "source", reader ? text_or_null(reader->reader.source) : json_null(), "reason",
			 reader ? text_or_null(reader->reader.why) : json_string("nobody read it"));
}

static json_t *row_json(const struct usage_row *row, double begun)
{
	const struct usage_amount *a = &row->amount;

	return json_pack("[I, s, i, f, o, o, o, o, o, o, o]", (json_int_t)row->iter,
			 usage_phase_name(row->phase), row->incarnation, row->ended - begun,
			 number(a->wall_s), number(a->cpu_s), number(a->cycles),
			 number(a->instructions), number(a->energy_j[METER_PACKAGE]),
			 number(a->energy_j[METER_CORE]), number(a->energy_j[METER_DRAM]));
}

static json_t *trace_of(const struct usage *u, int role, double begun)
{
	static const char *const columns[] = { "iteration", "phase", "incarnation", "t_s", "wall_s", "cpu_s",
					       "cycles", "instructions", "package_j", "core_j", "dram_j" };
	json_t *names = json_array(), *rows = json_array();

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		json_array_append_new(names, json_string(columns[i]));
	for (int64_t i = 0; u && i < u->rows; i++)
		json_array_append_new(rows, row_json(&u->row[i], begun));
	return json_pack("{s:i, s:o, s:o, s:I}", "role", role, "columns", names, "rows", rows, "dropped",
			 (json_int_t)(u ? u->dropped : 0));
}

static json_t *trace(const struct usages *u)
{
	double begun = INFINITY;
	json_t *list = json_array();

	for (int r = 0; r < u->np; r++)
		if (u->ledger[r].t_loop > 0)
			begun = fmin(begun, u->ledger[r].t_loop);
	for (int r = 0; r < u->np; r++)
		json_array_append_new(list, trace_of(u->of[r], r, isfinite(begun) ? begun : 0));
	return list;
}

void record_usage(json_t *record, json_t *roles, const struct run_spec *spec, const char *dir,
		  const struct ledger *ledger)
{
	struct usages u = { spec->np, calloc((size_t)spec->np, sizeof *u.of), ledger };

	for (int r = 0; u.of && r < u.np; r++)
		u.of[r] = usage_read(dir, r);
	json_object_set_new(record, "meters", u.of ? meters(&u, spec->meters) : json_null());
	json_object_set_new(record, "energy", u.of && spec->meters != METERS_OFF ? energy(&u) : json_null());
	if (u.of && spec->meters != METERS_OFF)
		add_used(&u, roles);
	if (u.of && spec->meters == METERS_ITERATIONS)
		json_object_set_new(record, "trace", trace(&u));
	for (int r = 0; u.of && r < u.np; r++)
		usage_unmap(u.of[r]);
	free((void *)(uintptr_t)u.of);
}

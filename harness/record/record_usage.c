#include "harness/record/record_usage.h"

#include "base/json.h"
#include "harness/machine/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The data that all functions below read. */
struct usages {
	int np;
	const struct usage **of; /* np; NULL: the role left none */
	const struct ledger *ledger;
};

static void set_energy(json_t *json, const double *energy_j)
{
	char key[16];

	for (int d = 0; d < METER_DOMAINS; d++) {
		snprintf(key, sizeof key, "%s_j", meter_domain_name((enum meter_domain)d));
		json_object_set_new(json, key, number_json(energy_j[d]));
	}
}

static bool any_energy(const double *energy_j)
{
	for (int d = 0; d < METER_DOMAINS; d++)
		if (isfinite(energy_j[d]))
			return true;
	return false;
}

/* In the time-step loop, recoveries included. */
static bool in_loop(int phase)
{
	return phase != LEDGER_SETUP && phase != LEDGER_VERIFY && phase != LEDGER_CLOSE;
}

/* Returns the seconds. */
static double sum_of_loop(const struct usage *u, double *energy_j)
{
	double wall_s = 0;

	for (int d = 0; d < METER_DOMAINS; d++)
		energy_j[d] = 0;
	for (int p = 0; p < USAGE_PHASES; p++) {
		if (!in_loop(p) || u->sum[p].spans == 0)
			continue;
		wall_s += u->sum[p].amount.wall_s;
		for (int d = 0; d < METER_DOMAINS; d++)
			energy_j[d] += u->sum[p].amount.energy_j[d];
	}
	return wall_s;
}

/* A package that runs takes energy, and its counters move about once a millisecond. One that stood
 * still throughout the loop has measured nothing: 1 in still[]. */
static double stood_still(const struct usage *u, bool still[METER_DOMAINS])
{
	static const double LONG_S = 0.1;
	double energy_j[METER_DOMAINS];
	const double wall_s = sum_of_loop(u, energy_j);

	for (int d = 0; d < METER_DOMAINS; d++)
		still[d] = wall_s >= LONG_S && energy_j[d] <= 0; /* not of NaN */
	return wall_s;
}

static void leave_out(double *energy_j, const bool still[METER_DOMAINS])
{
	for (int d = 0; d < METER_DOMAINS; d++)
		if (still[d])
			energy_j[d] = NAN;
}

/* {"step": {"spans": 25, "wall_s": ...}, ...}, without the phases that never occurred. */
static json_t *used(const struct usage *u, const struct ledger *l)
{
	json_t *phases = json_object();
	bool still[METER_DOMAINS];

	stood_still(u, still);
	for (int p = 0; p < USAGE_PHASES; p++) {
		const struct usage_sum *sum = &u->sum[p];
		double energy_j[METER_DOMAINS];
		json_t *phase;

		if (sum->spans == 0)
			continue;
		phase = json_pack("{s:I, s:o, s:o, s:o, s:o}", "spans", (json_int_t)sum->spans,
				  "wall_s", number_json(sum->amount.wall_s), "cpu_s",
				  number_json(sum->amount.cpu_s), "cycles",
				  number_json(sum->amount.cycles), "instructions",
				  number_json(sum->amount.instructions));
		memcpy(energy_j, sum->amount.energy_j, sizeof energy_j);
		leave_out(energy_j, still);
		if (any_energy(energy_j))
			set_energy(phase, energy_j);
		else
			json_object_set_new(phase, "package_j", json_null());
		json_object_set_new(phases, usage_phase_name(p), phase);
	}
	json_object_set_new(phases, "lost", json_integer(l->incarnations - (l->finished_at >= 0)));
	return phases;
}

static void add_used(const struct usages *u, json_t *roles)
{
	for (int r = 0; r < u->np; r++)
		json_object_set_new(json_array_get(roles, (size_t)r), "used",
				    u->of[r] ? used(u->of[r], &u->ledger[r]) : json_null());
}

/* A package of a host. */
struct package {
	const char *host;
	int package;
};

static bool same(const struct package *p, const char *host, int package)
{
	return p->package == package && strcmp(p->host, host) == 0;
}

/* The role whose process read that package from the beginning to the end; -1: none. */
static int reader_of(const struct usages *u, const struct package *p)
{
	for (int r = 0; r < u->np; r++) {
		const struct usage *x = u->of[r];

		if (x && x->reader.package != METER_NONE && x->reader.whole &&
		    u->ledger[r].finished_at >= 0 && same(p, x->host, x->reader.package))
			return r;
	}
	return -1;
}

/* Why no role has read the package. */
static void unread(const struct usages *u, const struct package *p, char why[USAGE_WHY])
{
	snprintf(why, USAGE_WHY,
		 "unmeasured: no role read it from the beginning of the loop to its end");
	for (int r = 0; r < u->np; r++) {
		const struct usage *x = u->of[r];

		for (int i = 0; x && i < x->formers && i < USAGE_FORMERS; i++)
			if (x->former[i].read && same(p, x->former[i].host, x->former[i].package))
				snprintf(why, USAGE_WHY,
					 "unmeasured: a process of role %d, which read it, died",
					 r);
		if (x && u->ledger[r].finished_at < 0 && same(p, x->host, x->reader.package))
			snprintf(
				why, USAGE_WHY,
				"unmeasured: the process of role %d, which read it, did not finish",
				r);
	}
}

/* One package: its joules, or the reason why there are none (also in why[]). */
static json_t *package_json(const struct usages *u, const struct package *p, double *energy_j,
			    char why[USAGE_WHY])
{
	int reader = reader_of(u, p);
	bool still[METER_DOMAINS];
	double wall_s;
	json_t *json;

	for (int d = 0; d < METER_DOMAINS; d++)
		energy_j[d] = NAN;
	if (reader >= 0) {
		sum_of_loop(u->of[reader], energy_j);
		snprintf(why, USAGE_WHY, "%s", u->of[reader]->reader.why);
		wall_s = stood_still(u->of[reader], still);
		leave_out(energy_j, still);
		if (still[METER_PACKAGE])
			snprintf(why, USAGE_WHY,
				 "unmeasured: the counter stood still for %.3g s, and a package "
				 "that runs takes energy",
				 wall_s);
	} else {
		unread(u, p, why);
	}
	json = json_pack("{s:s, s:i, s:o, s:o}", "host", p->host, "package", p->package, "reader",
			 reader >= 0 ? json_integer(reader) : json_null(), "reason",
			 text_or_null(why));
	set_energy(json, energy_j);
	return json;
}

/* All packages that any process of any role was bound to. */
struct packages {
	struct package *list;
	int count;
	char why[USAGE_WHY]; /* a process was bound to something else, or its package is unknown */
};

static void add_place(struct packages *all, int role, const char *host, int package)
{
	if (package == METER_NONE) {
		snprintf(all->why, sizeof all->why,
			 "unmeasured: role %d was not bound to one package", role);
		return;
	}
	for (int i = 0; i < all->count; i++)
		if (same(&all->list[i], host, package))
			return;
	all->list[all->count++] = (struct package){ host, package };
}

static void find_places(const struct usages *u, struct packages *all)
{
	all->list = calloc((size_t)u->np * (USAGE_FORMERS + 1), sizeof *all->list);
	for (int r = 0; all->list && r < u->np; r++) {
		const struct usage *x = u->of[r];

		if (!x) {
			snprintf(all->why, sizeof all->why, "unmeasured: role %d left no file", r);
			continue;
		}
		for (int i = 0; i < x->formers && i < USAGE_FORMERS; i++)
			add_place(all, r, x->former[i].host, x->former[i].package);
		add_place(all, r, x->host, x->bound_to);
	}
}

/* Add the energy of one package. psys belongs to the whole host, and only the reader of its first
 * package has it, so psys is summed by hosts. */
static void add_energy(double *sum, const double *one, bool host_is_new)
{
	for (int d = 0; d < METER_DOMAINS; d++)
		if (d != METER_PSYS || host_is_new)
			sum[d] += one[d];
}

static bool host_is_new(const struct packages *all, int place)
{
	for (int i = 0; i < place; i++)
		if (strcmp(all->list[i].host, all->list[place].host) == 0)
			return false;
	return true;
}

/* The energy of the run. A sum with a missing part is null. */
static json_t *energy(const struct usages *u)
{
	double sum[METER_DOMAINS] = { 0 }, one[METER_DOMAINS];
	struct packages all = { NULL, 0, "" };
	char why[USAGE_WHY];
	json_t *packages = json_array(), *json;
	bool complete;

	find_places(u, &all);
	complete = all.count > 0 && !all.why[0];
	for (int i = 0; i < all.count; i++) {
		json_array_append_new(packages, package_json(u, &all.list[i], one, why));
		add_energy(sum, one, host_is_new(&all, i));
		if (!all.why[0])
			memcpy(all.why, why, sizeof all.why);
	}
	for (int d = 0; d < METER_DOMAINS; d++)
		sum[d] = complete ? sum[d] : (double)NAN;
	json = json_pack("{s:o, s:o}", "reason", text_or_null(all.why), "packages", packages);
	set_energy(json, sum);
	free(all.list);
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

	return json_pack(
		"{s:s, s:o, s:o, s:{s:o, s:o}}", "detail", metering_name(detail), "cycles",
		any ? text_or_null(any->cycles_why) : json_string("not metered"), "instructions",
		any ? text_or_null(any->instructions_why) : json_string("not metered"), "energy",
		"source", reader ? text_or_null(reader->reader.source) : json_null(), "reason",
		reader ? text_or_null(reader->reader.why) : json_string("no role read it"));
}

static json_t *row_json(const struct usage_row *row, double begun, const bool still[METER_DOMAINS])
{
	const struct usage_amount *a = &row->amount;
	double energy_j[METER_DOMAINS];

	memcpy(energy_j, a->energy_j, sizeof energy_j);
	leave_out(energy_j, still);
	return json_pack("[I, s, i, f, o, o, o, o, o, o, o]", (json_int_t)row->iter,
			 usage_phase_name(row->phase), row->incarnation, row->ended - begun,
			 number_json(a->wall_s), number_json(a->cpu_s), number_json(a->cycles),
			 number_json(a->instructions), number_json(energy_j[METER_PACKAGE]),
			 number_json(energy_j[METER_CORE]), number_json(energy_j[METER_DRAM]));
}

static json_t *trace_of(const struct usage *u, int role, double begun)
{
	static const char *const columns[] = { "iteration", "phase",  "incarnation", "t_s",
					       "wall_s",    "cpu_s",  "cycles",      "instructions",
					       "package_j", "core_j", "dram_j" };
	json_t *names = json_array(), *rows = json_array();
	bool still[METER_DOMAINS];

	if (u)
		stood_still(u, still);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		json_array_append_new(names, json_string(columns[i]));
	for (int64_t i = 0; u && i < u->rows; i++)
		json_array_append_new(rows, row_json(&u->row[i], begun, still));
	return json_pack("{s:i, s:o, s:o, s:I}", "role", role, "columns", names, "rows", rows,
			 "dropped", (json_int_t)(u ? u->dropped : 0));
}

static json_t *trace(const struct usages *u)
{
	const double begun = ledgers_begun(u->ledger, u->np);
	json_t *list = json_array();

	for (int r = 0; r < u->np; r++)
		json_array_append_new(list, trace_of(u->of[r], r, isnan(begun) ? 0 : begun));
	return list;
}

void record_usage(json_t *record, json_t *roles, const struct run_spec *spec, const char *dir,
		  const struct ledger *ledger)
{
	struct usages u = { spec->np, calloc((size_t)spec->np, sizeof *u.of), ledger };

	for (int r = 0; u.of && r < u.np; r++)
		u.of[r] = usage_read(dir, r);
	json_object_set_new(record, "meters", u.of ? meters(&u, spec->meters) : json_null());
	json_object_set_new(record, "energy",
			    u.of && spec->meters != METERS_OFF ? energy(&u) : json_null());
	if (u.of && spec->meters != METERS_OFF)
		add_used(&u, roles);
	if (u.of && spec->meters == METERS_ITERATIONS)
		json_object_set_new(record, "trace", trace(&u));
	for (int r = 0; u.of && r < u.np; r++)
		usage_unmap(u.of[r]);
	free((void *)(uintptr_t)u.of);
}

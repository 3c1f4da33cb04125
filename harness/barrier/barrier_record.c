/* The record of the barrier benchmark: schema "rollbench-barrier-1" (docs/record.md). */
#include "harness/barrier/barrier.h"

#include "base/json.h"
#include "base/quantile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void barrier_measured_path(const char *dir, char *out, size_t size)
{
	snprintf(out, size, "%s/measured.json", dir);
}

static const char *said(const struct barrier_rank *rank, bool trouble, enum power_technique t)
{
	return trouble ? rank->trouble[t] : rank->absent[t];
}

/* Write "rank 3: why" for the lowest rank that has a reason. The rank is left out if all ranks have
 * the same reason. "" if there is none. */
static void first_word(const struct barrier_plan *p, const struct barrier_rank *rank, bool trouble,
		       enum power_technique t, char out[POWER_TEXT + 32])
{
	const char *first = said(&rank[0], trouble, t);
	bool same = true;
	int r = 0;

	for (int i = 1; i < p->np; i++)
		same = same && strcmp(said(&rank[i], trouble, t), first) == 0;
	while (r < p->np - 1 && !said(&rank[r], trouble, t)[0])
		r++;
	first = said(&rank[r], trouble, t);
	if (same || !first[0])
		snprintf(out, POWER_TEXT + 32, "%s", first);
	else
		snprintf(out, POWER_TEXT + 32, "rank %d: %s", r, first);
}

static json_t *techniques_json(const struct barrier_plan *p, const struct barrier_rank *rank)
{
	json_t *list = json_array();

	for (int i = 0; i < p->techniques; i++) {
		enum power_technique t = p->technique[i];
		char absent[POWER_TEXT + 32], trouble[POWER_TEXT + 32];

		first_word(p, rank, false, t, absent);
		first_word(p, rank, true, t, trouble);
		json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", power_name(t),
						      "absent", text_or_null(absent), "trouble",
						      text_or_null(trouble)));
	}
	return list;
}

static json_t *ranks_json(const struct barrier_plan *p, const struct barrier_rank *rank)
{
	json_t *list = json_array();

	for (int r = 0; r < p->np; r++)
		json_array_append_new(
			list,
			json_pack("{s:i, s:s, s:i, s:s, s:o, s:b, s:b}", "rank", r, "host",
				  rank[r].host, "node", rank[r].node, "binding", rank[r].binding,
				  "package",
				  rank[r].package < 0 ? json_null() : json_integer(rank[r].package),
				  "reads_energy", rank[r].reads_energy, "late", r == p->np - 1));
	return list;
}

/* The meters of rank 0 and of all ranks that read energy. */
static json_t *meters_json(const struct barrier_plan *p, const struct barrier_rank *rank)
{
	json_t *list = json_array();

	for (int r = 0; r < p->np; r++)
		for (int i = 0; (r == 0 || rank[r].reads_energy) && i < rank[r].lines; i++)
			json_array_append_new(list, json_pack("{s:i, s:s, s:b, s:s}", "rank", r,
							      "what", rank[r].line[i].what, "ok",
							      rank[r].line[i].state == METER_OK,
							      "text", rank[r].line[i].text));
	return list;
}

static json_t *energy_json(const struct barrier_sample *s)
{
	json_t *energy = json_object();

	for (int d = 0; d < METER_DOMAINS; d++)
		json_object_set_new(energy, meter_domain_name((enum meter_domain)d),
				    number_json(s->energy_j[d]));
	return energy;
}

static json_t *sample_json(int r, const struct barrier_rank *rank, const struct barrier_sample *s,
			   double latency_s)
{
	json_t *json = json_pack(
		"{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rank", r, "wall_s",
		number_json(s->wall_s), "cpu_s", number_json(s->cpu_s), "user_s",
		number_json(s->user_s), "system_s", number_json(s->system_s), "cycles",
		number_json(s->cycles), "instructions", number_json(s->instructions), "products",
		number_json(s->products), "entered_s", number_json(s->entered_s), "left_s",
		number_json(s->left_s), "latency_s", number_json(latency_s));

	if (rank[r].reads_energy) {
		json_object_set_new(json, "energy_j", energy_json(s));
		json_object_set_new(json, "watts",
				    number_json(s->energy_j[METER_PACKAGE] / s->wall_s));
	}
	return json;
}

/* One phase of one repetition: the samples of all ranks, and how much later than the late rank the
 * waiting ones left. The clocks of other hosts cannot be compared with that of the late rank, so
 * there is no latency for them. */
static json_t *phase_json(const struct barrier_plan *p, const struct barrier_rank *rank,
			  const struct barrier_sample *sample, int repetition, int place,
			  double *behind)
{
	size_t stride = (size_t)barrier_phases(p), at = (size_t)barrier_phase(p, repetition, place);
	int late = p->np - 1, n = 0;
	const struct barrier_sample *last = &sample[(size_t)late * stride + at];
	json_t *samples = json_array();

	for (int r = 0; r < p->np; r++) {
		const struct barrier_sample *s = &sample[(size_t)r * stride + at];
		double latency =
			rank[r].node == rank[late].node ? s->left_s - last->entered_s : NAN;

		json_array_append_new(samples, sample_json(r, rank, s, latency));
		if (r != late && isfinite(latency))
			behind[n++] = latency;
	}
	sort_numbers(behind, (size_t)n);
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o}", "repetition", repetition, "phase",
			 place < 0 ? "product" : "barrier", "technique",
			 place < 0 ? json_null() : json_string(power_name(p->technique[place])),
			 "latency_max_s", n ? json_real(behind[n - 1]) : json_null(),
			 "latency_median_s", number_json(median(behind, (size_t)n)), "samples",
			 samples);
}

/* The phases in the order in which they were measured. */
static json_t *phases_json(const struct barrier_plan *p, const struct barrier_rank *rank,
			   const struct barrier_sample *sample)
{
	double *behind = malloc((size_t)p->np * sizeof *behind);
	int place[1 + POWER_TECHNIQUES] = { -1 };
	json_t *list = json_array();

	for (int r = 0; behind && r < p->repetitions; r++) {
		barrier_sequence(p, r, place + 1);
		for (int i = 0; i <= p->techniques; i++)
			if (sample[barrier_phase(p, r, place[i])].measured)
				json_array_append_new(
					list, phase_json(p, rank, sample, r, place[i], behind));
	}
	free(behind);
	return list;
}

json_t *barrier_measured(const struct barrier_plan *p, const struct barrier_rank *rank,
			 const struct barrier_sample *sample)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "techniques", techniques_json(p, rank), "ranks",
			 ranks_json(p, rank), "meters", meters_json(p, rank), "phases",
			 phases_json(p, rank, sample));
}

json_t *barrier_record(const struct barrier_plan *p, json_t *measured, json_t *host, double wall_s)
{
	json_t *record =
		json_pack("{s:s, s:i, s:i, s:f, s:i, s:i, s:I, s:b, s:f, s:o}", "schema",
			  "rollbench-barrier-1", "np", p->np, "late_rank", p->np - 1, "seconds",
			  p->seconds, "repetitions", p->repetitions, "matrix_order",
			  p->matrix_order, "seed", (json_int_t)p->seed, "oversubscribed",
			  p->oversubscribed, "wall_s", wall_s, "host", host);

	json_object_update(record, measured);
	json_decref(measured);
	return record;
}

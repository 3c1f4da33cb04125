/* The barrier benchmark in each MPI process: bind, find out what can be used, measure, send the
 * results to rank 0. */
#include "harness/barrier/barrier.h"

#include "base/clock.h"
#include "base/end_with_parent.h"
#include "base/status.h"
#include "ft/msg/nap.h"
#include "harness/machine/pin.h"
#include "harness/record/record.h"
#include "harness/transport/settings.h"

#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
	struct barrier_plan plan;
	int rank, late;
	bool usable[POWER_TECHNIQUES]; /* by technique: all ranks can use it */
	struct meter *meter;
	struct barrier_product *product;
	struct barrier_rank self;
	struct barrier_sample *sample;
};

/* Bind the ranks of one host to its cores in order. The lowest rank on a host identifies the
 * host. */
static void settle(struct bench *b)
{
	MPI_Comm host;
	int place;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, b->rank, MPI_INFO_NULL, &host);
	MPI_Comm_rank(host, &place);
	b->self.node = b->rank;
	MPI_Bcast(&b->self.node, 1, MPI_INT, 0, host);
	MPI_Comm_free(&host);
	pin_self(place, b->self.binding, sizeof b->self.binding);
	gethostname(b->self.host, sizeof b->self.host - 1);
}

static int open_meter(struct bench *b, struct rb_error *err)
{
	size_t np = (size_t)b->plan.np;
	int *node = malloc(np * sizeof *node), *package = malloc(np * sizeof *package);

	b->self.package = meter_package_of_self();
	if (node && package) {
		MPI_Allgather(&b->self.node, 1, MPI_INT, node, 1, MPI_INT, MPI_COMM_WORLD);
		MPI_Allgather(&b->self.package, 1, MPI_INT, package, 1, MPI_INT, MPI_COMM_WORLD);
		b->self.reads_energy = meter_is_reader(node, package, b->rank);
		b->meter = meter_open(meter_root(),
				      b->self.reads_energy ? b->self.package : METER_NONE, err);
	} else {
		rb_fail(err, RB_ENOMEM, "out of memory");
	}
	free(node);
	free(package);
	return b->meter ? RB_OK : RB_ENOMEM;
}

/* Why this rank cannot use a technique on its core; "" if it can. */
static void probe(const struct bench *b, enum power_technique t, char why[POWER_TEXT])
{
	struct power *power = NULL;
	struct rb_error err;

	if (barrier_absent(&b->plan, t, why))
		return;
	if (power_open(t, &power, &err) != RB_OK)
		snprintf(why, POWER_TEXT, "%.250s", err.text);
	power_close(power);
}

/* If one rank cannot use a technique, no rank uses it. true: everything that the user asked for can
 * be measured. */
static bool agree_on_techniques(struct bench *b)
{
	int mine[POWER_TECHNIQUES] = { 0 }, all[POWER_TECHNIQUES];
	bool complete = true;

	for (int i = 0; i < b->plan.techniques; i++) {
		enum power_technique t = b->plan.technique[i];

		probe(b, t, b->self.absent[t]);
		mine[t] = !b->self.absent[t][0];
	}
	MPI_Allreduce(mine, all, POWER_TECHNIQUES, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	for (int i = 0; i < b->plan.techniques; i++) {
		b->usable[b->plan.technique[i]] = all[b->plan.technique[i]];
		complete = complete && b->usable[b->plan.technique[i]];
	}
	return complete || !b->plan.asked;
}

static void sleep_until(double when_s)
{
	const struct timespec when = { (time_t)when_s, (long)(1e9 * (when_s - floor(when_s))) };

	while (clock_monotonic() < when_s)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* The barrier of a technique for a rank that waits. A barrier that can be tested does not match the
 * other kind, so the late rank uses the same kind, but does not sleep in it. */
static void wait_for_all(enum power_technique t, struct power *power)
{
	MPI_Request request;
	struct nap naps;
	int all = 0;

	if (t != POWER_SLEEP) {
		if (power)
			power_reduce(power, true);
		MPI_Barrier(MPI_COMM_WORLD);
		if (power)
			power_reduce(power, false);
		return;
	}
	nap_begin(&naps, 0);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	for (;;) {
		MPI_Test(&request, &all, MPI_STATUS_IGNORE);
		if (all)
			return;
		nap(&naps);
	}
}

static void come_late(enum power_technique t, double when_s, struct barrier_sample *s)
{
	MPI_Request request;

	sleep_until(when_s);
	s->entered_s = clock_monotonic();
	if (t == POWER_SLEEP) {
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void note_trouble(struct bench *b, enum power_technique t, const char *text)
{
	if (text[0] && !b->self.trouble[t][0])
		snprintf(b->self.trouble[t], POWER_TEXT, "%.250s", text);
}

/* The technique is opened again before each barrier, so that techniques do not affect each
 * other. */
static struct power *open_power(struct bench *b, enum power_technique t)
{
	struct power *power = NULL;
	struct rb_error err;

	if (b->rank != b->late && power_open(t, &power, &err) != RB_OK)
		note_trouble(b, t, err.text);
	return power;
}

static void barrier(struct bench *b, enum power_technique t, struct power *power, double begin_s,
		    struct barrier_sample *s)
{
	if (b->rank == b->late) {
		come_late(t, begin_s + b->plan.seconds, s);
	} else {
		s->entered_s = clock_monotonic();
		wait_for_all(t, power);
	}
	s->left_s = clock_monotonic();
}

static void fill(const struct bench *b, const struct meter_sample *used, struct barrier_sample *s)
{
	s->measured = 1;
	s->wall_s = used->wall_s;
	s->cpu_s = used->cpu_s;
	s->user_s = used->user_s;
	s->system_s = used->system_s;
	s->cycles = used->cycles;
	s->instructions = used->instructions;
	for (int d = 0; d < METER_DOMAINS; d++)
		s->energy_j[d] =
			!b->self.reads_energy
				? NAN
				: meter_joules(b->meter, used,
					       d == METER_PSYS ? METER_ALL : b->self.package,
					       (enum meter_domain)d);
}

/* place: -1 for the matrix product; otherwise the place of the technique. */
static void measure_phase(struct bench *b, int repetition, int place)
{
	enum power_technique t = place < 0 ? POWER_NONE : b->plan.technique[place];
	struct barrier_sample *s = &b->sample[barrier_phase(&b->plan, repetition, place)];
	struct meter_sample before, after;
	struct power *power = NULL;

	if (!b->usable[t] && place >= 0)
		return;
	*s = (struct barrier_sample){ .products = NAN, .entered_s = NAN, .left_s = NAN };
	if (place >= 0)
		power = open_power(b, t);
	MPI_Barrier(MPI_COMM_WORLD);
	meter_sample(b->meter, &before);
	if (place < 0)
		s->products = barrier_product_until(b->product, before.wall_s + b->plan.seconds);
	else
		barrier(b, t, power, before.wall_s, s);
	meter_sample(b->meter, &after);
	meter_difference(&before, &after, &after);
	fill(b, &after, s);
	if (power)
		note_trouble(b, t, power_trouble(power));
	power_close(power);
}

/* Run each kind of barrier once, so that no sample contains what the MPI sets up in the first
 * one. */
static void warm_up(void)
{
	MPI_Request request;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure(struct bench *b)
{
	int place[POWER_TECHNIQUES];

	warm_up();
	for (int r = 0; r < b->plan.repetitions; r++) {
		measure_phase(b, r, -1);
		barrier_sequence(&b->plan, r, place);
		for (int i = 0; i < b->plan.techniques; i++)
			measure_phase(b, r, place[i]);
	}
}

static int write_measured(const struct bench *b, const char *dir, const struct barrier_rank *rank,
			  const struct barrier_sample *sample, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	json_t *json = barrier_measured(&b->plan, rank, sample), *settings = settings_in_force();
	int rc;

	barrier_measured_path(dir, path, sizeof path);
	settings_tell(settings, dir);
	json_decref(settings);
	rc = json ? record_deliver(json, path, err) : rb_fail(err, RB_ENOMEM, "out of memory");
	json_decref(json);
	return rc;
}

/* Gather the results at rank 0. Meters are described after all measurements, since some of them may
 * have been lost in between. */
static int gather(struct bench *b, const char *dir, struct rb_error *err)
{
	size_t np = b->rank == 0 ? (size_t)b->plan.np : 0,
	       phases = (size_t)barrier_phases(&b->plan);
	struct barrier_rank *rank = calloc(np + 1, sizeof *rank);
	struct barrier_sample *sample = calloc(np * phases + 1, sizeof *sample);
	int rc = RB_OK;

	b->self.lines = meter_describe(b->meter, b->self.line, METER_LINES);
	if (rank && sample) {
		MPI_Gather(&b->self, sizeof b->self, MPI_BYTE, rank, sizeof b->self, MPI_BYTE, 0,
			   MPI_COMM_WORLD);
		MPI_Gather(b->sample, (int)(phases * sizeof *sample), MPI_BYTE, sample,
			   (int)(phases * sizeof *sample), MPI_BYTE, 0, MPI_COMM_WORLD);
		if (b->rank == 0)
			rc = write_measured(b, dir, rank, sample, err);
	} else {
		rc = rb_fail(err, RB_ENOMEM, "out of memory");
	}
	free(rank);
	free(sample);
	return rc;
}

/* Read the plan and start the guardian. It is a fork, so it must come before MPI_Init. */
static int prepare(struct bench *b, const char *dir, struct rb_error *err)
{
	char why[POWER_TEXT];

	RB_TRY(barrier_plan_load(&b->plan, dir, err));
	for (int i = 0; i < b->plan.techniques; i++)
		if (power_sets_core(b->plan.technique[i]) &&
		    !barrier_absent(&b->plan, b->plan.technique[i], why))
			return power_guard(b->plan.technique[i], err);
	return RB_OK;
}

static int run(struct bench *b, const char *dir, struct rb_error *err)
{
	int size;

	MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != b->plan.np)
		return rb_fail(err, RB_EINVAL,
			       "started with %d processes, but the plan has %d ranks", size,
			       b->plan.np);
	b->late = b->plan.np - 1;
	settle(b);
	RB_TRY(open_meter(b, err));
	b->product = barrier_product_make(b->plan.matrix_order);
	b->sample = calloc((size_t)barrier_phases(&b->plan), sizeof *b->sample);
	if (!b->product || !b->sample)
		return rb_fail(err, RB_ENOMEM, "out of memory: --order %d", b->plan.matrix_order);
	if (agree_on_techniques(b))
		measure(b);
	return gather(b, dir, err);
}

int barrier_worker_main(const char *dir)
{
	static struct bench b;
	struct rb_error err = { "" };
	int rc;

	end_with_parent(getppid()); /* no rank outlives the daemon that started it */
	rc = prepare(&b, dir, &err);
	MPI_Init(NULL, NULL);
	if (rc == RB_OK)
		rc = run(&b, dir, &err);
	if (rc != RB_OK) {
		fprintf(stderr, "rollbench worker: %s\n", err.text);
		MPI_Abort(MPI_COMM_WORLD, 4);
	}
	meter_close(b.meter);
	barrier_product_free(b.product);
	free(b.sample);
	MPI_Finalize();
	return 0;
}

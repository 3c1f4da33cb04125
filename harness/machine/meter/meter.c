#include "harness/machine/meter/meter_inside.h"

#include "base/clock.h"
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The order is by trust and not by resolution. docs/energy.md says why PAPI's own components come
 * last or are left out. */
static const struct meter_source *const sources[] = { &meter_source_uncore, &meter_source_powercap,
						      &meter_source_rapl, NULL };

const char *meter_domain_name(enum meter_domain domain)
{
	static const char *const names[METER_DOMAINS] = { "package", "core", "uncore", "dram",
							  "psys" };

	return names[domain];
}

bool meter_wants(const struct meter *m, int package)
{
	return m->package == METER_ALL || m->package == package;
}

int meter_add(struct meter *m, enum meter_domain domain, int package, const char *where)
{
	int i = m->counters;

	if (i == METER_COUNTERS)
		return -1;
	m->counter[i] = (struct meter_counter){ domain, package, "", "not opened" };
	snprintf(m->counter[i].where, sizeof m->counter[i].where, "%s", where);
	m->state[i] = (struct counter_state){ .unit_j = 1, .patience_s = INFINITY, .fd = -1 };
	return m->counters++;
}

void meter_lose(struct meter *m, int i, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(m->counter[i].why, sizeof m->counter[i].why, fmt, args);
	va_end(args);
}

void meter_note(struct meter *m, enum meter_state state, const char *fmt, ...)
{
	struct meter_line *line = &m->note[m->notes];
	va_list args;

	if (m->notes == METER_LINES)
		return;
	*line = (struct meter_line){ state, "energy", "" };
	va_start(args, fmt);
	vsnprintf(line->text, sizeof line->text, fmt, args);
	va_end(args);
	m->notes++;
}

/* Compute the counts between two readings. RB_ECORRUPT if the counter went back and has no
 * range. */
static int advance(uint64_t before, uint64_t after, uint64_t range, uint64_t *out)
{
	if (after >= before) {
		*out = after - before;
		return RB_OK;
	}
	if (before > range)
		return RB_ECORRUPT;
	/* this is one count less than that of the hardware, which is below its resolution */
	*out = range - before + after;
	return RB_OK;
}

/* Add the counts since the last reading. The first reading only sets the beginning. */
static void account(struct meter *m, int i, uint64_t raw, double now, bool first)
{
	struct counter_state *s = &m->state[i];
	double gap = now - s->last_s;
	uint64_t step = 0;

	if (s->range && raw > s->range)
		meter_lose(m, i, "%s reads %llu, beyond its range of %llu", m->counter[i].where,
			   (unsigned long long)raw, (unsigned long long)s->range);
	else if (!first && gap > s->patience_s)
		meter_lose(
			m, i,
			"%s was not read for %.3g s and may have wrapped unseen; sample at least "
			"every %.3g s",
			m->counter[i].where, gap, s->patience_s);
	else if (!first && advance(s->last, raw, s->range, &step) != RB_OK)
		meter_lose(m, i, "%s went back from %llu to %llu, and its range is unknown",
			   m->counter[i].where, (unsigned long long)s->last,
			   (unsigned long long)raw);
	s->total += step;
	s->last = raw;
	s->last_s = now;
}

static void read_energy(struct meter *m, double now, bool first)
{
	uint64_t raw[METER_COUNTERS];

	if (!m->source)
		return;
	m->source->read(m, raw);
	for (int i = 0; i < m->counters; i++) {
		if (!m->counter[i].why[0])
			account(m, i, raw[i], now, first);
	}
}

static int readable(const struct meter *m)
{
	int n = 0;

	for (int i = 0; i < m->counters; i++)
		n += !m->counter[i].why[0];
	return n;
}

/* A source counts if at least one counter gave a number. */
static bool try_source(struct meter *m, const struct meter_source *source)
{
	char why[METER_TEXT] = "no such counters";

	if (m->root[0] && !source->of_root) {
		meter_note(m, METER_ABSENT, "%s: not asked, the meters read files below %.100s",
			   source->name, m->root);
		return false;
	}
	m->counters = 0;
	m->source = source;
	if (source->open(m, why) == RB_OK) {
		read_energy(m, clock_monotonic(), true);
		if (readable(m) > 0) {
			meter_note(m, METER_OK, "by %s", source->name);
			return true;
		}
		snprintf(why, sizeof why, "%s", m->counters ? m->counter[0].why : "no counters");
	}
	source->close(m);
	m->source = NULL;
	m->counters = 0;
	meter_note(m, METER_ABSENT, "%s: %.220s", source->name, why);
	return false;
}

static void open_energy(struct meter *m)
{
	if (m->package == METER_NONE) {
		meter_note(m, METER_ABSENT, "not read by this process");
		return;
	}
	if (!m->root[0])
		m->package_count = meter_packages(m->packages, METER_PACKAGES);
	for (int i = 0; sources[i]; i++) {
		if (try_source(m, sources[i]))
			return;
	}
	if (meter_is_virtual(m->root))
		meter_note(m, METER_ABSENT,
			   "a virtual machine rarely has such counters; remedy: "
			   "measure on the bare machine, or let the hypervisor pass RAPL on");
}

const char *meter_root(void)
{
	const char *root = getenv("ROLLBENCH_METER_ROOT");

	return root ? root : "";
}

struct meter *meter_open(const char *root, int package, struct rb_error *err)
{
	struct meter *m;

	if (strlen(root) >= sizeof m->root) {
		rb_fail(err, RB_EINVAL, "meters: the root's path is too long");
		return NULL;
	}
	m = calloc(1, sizeof *m);
	if (!m) {
		rb_fail(err, RB_ENOMEM, "meters: out of memory");
		return NULL;
	}
	strcpy(m->root, root);
	m->package = package;
	m->energy_set.handle = m->count_set.handle = -1;
	meter_counts_open(m);
	open_energy(m);
	return m;
}

void meter_turn_to(struct meter *m, int package)
{
	if (m->package != METER_NONE)
		return;
	m->package = package;
	m->notes = 0;
	open_energy(m);
}

const char *meter_source_name(const struct meter *m)
{
	return m->source ? m->source->name : NULL;
}

void meter_close(struct meter *m)
{
	if (!m)
		return;
	if (m->source)
		m->source->close(m);
	meter_set_close(&m->count_set);
	free(m);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

void meter_sample(struct meter *m, struct meter_sample *out)
{
	struct rusage usage;

	out->wall_s = clock_monotonic();
	out->cpu_s = clock_read(CLOCK_PROCESS_CPUTIME_ID);
	getrusage(RUSAGE_SELF, &usage);
	out->user_s = seconds(usage.ru_utime);
	out->system_s = seconds(usage.ru_stime);
	meter_counts_read(m, out);
	read_energy(m, out->wall_s, false);
	for (int i = 0; i < METER_COUNTERS; i++) {
		bool there = i < m->counters && !m->counter[i].why[0];

		out->energy_j[i] = there ? (double)m->state[i].total * m->state[i].unit_j : NAN;
	}
}

void meter_difference(const struct meter_sample *before, const struct meter_sample *after,
		      struct meter_sample *out)
{
	out->wall_s = after->wall_s - before->wall_s;
	out->cpu_s = after->cpu_s - before->cpu_s;
	out->user_s = after->user_s - before->user_s;
	out->system_s = after->system_s - before->system_s;
	out->cycles = after->cycles - before->cycles;
	out->instructions = after->instructions - before->instructions;
	for (int i = 0; i < METER_COUNTERS; i++)
		out->energy_j[i] = after->energy_j[i] - before->energy_j[i];
}

const struct meter_counter *meter_counters(const struct meter *m, int *n)
{
	*n = m->counters;
	return m->counter;
}

double meter_joules(const struct meter *m, const struct meter_sample *s, int package,
		    enum meter_domain domain)
{
	double sum = 0;
	bool any = false;

	for (int i = 0; i < m->counters; i++) {
		if (m->counter[i].domain != domain ||
		    (package != METER_ALL && m->counter[i].package != package))
			continue;
		sum += s->energy_j[i];
		any = true;
	}
	return any ? sum : NAN;
}

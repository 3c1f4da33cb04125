#include "harness/machine/metering.h"

#include "base/clock.h"
#include "base/local_name.h"
#include "base/status.h"
#include "harness/machine/pin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double OFTEN_S = 20; /* energy counters must be read before they wrap twice */

const char *metering_name(enum metering_detail detail)
{
	static const char *const names[METERS_DETAILS] = {
		[METERS_OFF] = "off",
		[METERS_PHASES] = "phases",
		[METERS_ITERATIONS] = "iterations",
	};

	return names[detail];
}

int metering_open(struct metering *m, enum metering_detail detail, const char *dir,
		  struct rb_error *err)
{
	*m = (struct metering){ .detail = detail, .dir = dir, .claim = -1, .phase = LEDGER_SETUP };
	if (detail == METERS_OFF)
		return RB_OK;
	m->meter = meter_open(meter_root(), METER_NONE, err);
	return m->meter ? RB_OK : RB_ENOMEM;
}

/* Why a meter is absent: the texts of its lines, one after the other; "" if one of them works. */
static void why(const struct meter *meter, const char *what, char *out, size_t size)
{
	static struct meter_line line[METER_LINES];
	int n = meter_describe(meter, line, METER_LINES);
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (strcmp(line[i].what, what) != 0)
			continue;
		if (line[i].state == METER_OK) {
			out[0] = '\0';
			return;
		}
		if (used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "; " : "",
						 line[i].text);
	}
}

/* Take the name of the package, if no process on this host holds it. */
static bool claim(struct metering *m, int package)
{
	const char *run = strrchr(m->dir, '/');
	struct sockaddr_un address;
	socklen_t length = local_name(&address, "rollbench%s/%d", run ? run : m->dir, package);

	m->claim = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (m->claim >= 0 && bind(m->claim, (struct sockaddr *)&address, length) == 0)
		return true;
	if (m->claim >= 0)
		close(m->claim);
	m->claim = -1;
	return false;
}

/* whole: the reading begins before the loop, so that nothing of it is missed. */
static void become_reader(struct metering *m, bool whole)
{
	struct usage_reader *reader = &m->usage->reader;
	const char *source;

	if (m->claim >= 0 || m->usage->bound_to == METER_NONE || !claim(m, m->usage->bound_to))
		return;
	meter_turn_to(m->meter, m->usage->bound_to);
	source = meter_source_name(m->meter);
	reader->package = m->usage->bound_to;
	reader->whole = whole;
	snprintf(reader->source, sizeof reader->source, "%s", source ? source : "");
	why(m->meter, "energy", reader->why, sizeof reader->why);
	meter_sample(m->meter, &m->last);
	m->read_s = m->last.wall_s;
}

/* What the previous process read is lost with it. Its package must still be noted, since this
 * process may be on another one. */
static void note_former(struct usage *u, const char *host, int package)
{
	bool elsewhere = u->host[0] && (u->bound_to != package || strcmp(u->host, host) != 0);

	if (u->reader.package != METER_NONE)
		usage_former(u, true);
	else if (elsewhere)
		usage_former(u, false);
	u->reader = (struct usage_reader){ .package = METER_NONE };
	u->bound_to = package;
	snprintf(u->host, sizeof u->host, "%s", host);
}

int metering_adopt(struct metering *m, int role, int32_t incarnation, bool doomed, int64_t rows,
		   struct rb_error *err)
{
	char host[sizeof m->usage->host] = "";

	if (m->detail == METERS_OFF)
		return RB_OK;
	m->usage = usage_open(m->dir, role, m->detail == METERS_ITERATIONS ? rows : 0, err);
	if (!m->usage)
		return RB_EIO;
	gethostname(host, sizeof host - 1);
	note_former(m->usage, host, pin_package());
	m->incarnation = incarnation;
	m->begun = incarnation > 1;
	m->elect = true;
	why(m->meter, "cycles", m->usage->cycles_why, sizeof m->usage->cycles_why);
	why(m->meter, "instr", m->usage->instructions_why, sizeof m->usage->instructions_why);
	meter_sample(m->meter, &m->last);
	m->read_s = m->last.wall_s;
	if (incarnation == 1 &&
	    !doomed) /* a replacement does this later, since others wait for it now */
		become_reader(m, true);
	return RB_OK;
}

/* Only a reader has joules, and only those of its own package and of psys. */
static void joules(const struct metering *m, const struct meter_sample *step,
		   struct usage_amount *a)
{
	for (int d = 0; d < METER_DOMAINS; d++)
		a->energy_j[d] = m->claim < 0
					 ? (double)NAN
					 : meter_joules(m->meter, step,
							d == METER_PSYS ? METER_ALL
									: m->usage->reader.package,
							(enum meter_domain)d);
}

static void close_span(struct metering *m, int phase)
{
	struct usage_row span = {
		.iter = m->iter, .phase = phase, .incarnation = m->incarnation, .ended = clock_now()
	};
	struct meter_sample now, step;

	meter_sample(m->meter, &now);
	meter_difference(&m->last, &now, &step);
	span.amount = (struct usage_amount){ .wall_s = step.wall_s,
					     .cpu_s = step.cpu_s,
					     .cycles = step.cycles,
					     .instructions = step.instructions };
	joules(m, &step, &span.amount);
	usage_add(m->usage, &span, m->detail == METERS_ITERATIONS);
	m->last = now;
	m->read_s = now.wall_s;
}

/* Note a counter that could be read at first and cannot be read any more. */
static void note_vanished(struct metering *m)
{
	int n;
	const struct meter_counter *c = meter_counters(m->meter, &n);

	for (int i = 0; m->claim >= 0 && i < n; i++)
		if (c[i].why[0] && !m->usage->reader.why[0])
			snprintf(m->usage->reader.why, sizeof m->usage->reader.why, "%s: %.200s",
				 meter_domain_name(c[i].domain), c[i].why);
}

/* Has the role finished what a recovery makes it do? */
static bool works(enum ledger_phase phase)
{
	return phase == LEDGER_STEP || phase == LEDGER_CHECKPOINT || phase == LEDGER_BLOCKED;
}

/* Sample in long spans, too, so that no counter wraps unnoticed. */
static void keep_awake(struct metering *m)
{
	struct meter_sample now;

	if (m->claim < 0 || clock_monotonic() < m->read_s + OFTEN_S)
		return;
	meter_sample(m->meter, &now);
	m->read_s = now.wall_s;
}

void metering_enter(struct metering *m, int64_t iter, enum ledger_phase phase)
{
	bool given_up =
		m->detail == METERS_ITERATIONS && usage_gives_up(m->phase, m->iter, phase, iter);

	if (!m->usage)
		return;
	if (!m->begun && phase != LEDGER_REPAIR && !works(phase))
		/* the first state is made in the same phases as a restored one */
		phase = LEDGER_SETUP;
	if ((int)phase == m->phase && (m->detail == METERS_PHASES || iter == m->iter)) {
		m->iter = iter;
		keep_awake(m);
		return;
	}
	close_span(m, given_up ? (int)USAGE_ABORTED : m->phase);
	m->begun = m->begun || phase == LEDGER_REPAIR;
	m->elect = m->elect || phase == LEDGER_REPAIR;
	m->phase = (int)phase;
	m->iter = iter;
	if (phase == LEDGER_VERIFY)
		note_vanished(m);
	if (m->elect && works(phase)) {
		become_reader(m, !m->begun && m->incarnation == 1);
		m->elect = false;
		m->begun = true;
	}
}

void metering_close(struct metering *m)
{
	usage_close(m->usage);
	meter_close(m->meter);
	if (m->claim >= 0)
		close(m->claim);
	*m = (struct metering){ .claim = -1, .detail = METERS_OFF };
}

/* Cycles and instructions of this process, by PAPI. */
#include "harness/machine/meter/meter_inside.h"

#include "base/status.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PAPI knows its own event names only for processors that it knows; the names of the kernel always
 * work. */
static const char *const events[2][2] = {
	{ "PAPI_TOT_CYC", "perf::PERF_COUNT_HW_CPU_CYCLES" },
	{ "PAPI_TOT_INS", "perf::PERF_COUNT_HW_INSTRUCTIONS" },
};

/* The codes of PAPI do not distinguish a processor without counters from an administrator who
 * forbids them. The codes of the kernel do. Returns 0 if the kernel would count. */
static int ask_kernel(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof attr,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

int (*meter_kernel_counts)(void) = ask_kernel;

static void explain(const char *papi, char *why)
{
	int reason = meter_kernel_counts();

	if (reason == ENOENT || reason == EOPNOTSUPP || reason == ENODEV)
		snprintf(why, METER_TEXT, "the kernel sees no hardware counters%s",
			 meter_is_virtual("") ? " in this virtual machine; remedy: have the "
						"hypervisor expose them (a virtual PMU)"
					      : "");
	else if ((reason == EACCES || reason == EPERM) && meter_paranoid() > 2)
		snprintf(why, METER_TEXT,
			 "kernel.perf_event_paranoid is %d; remedy: sysctl "
			 "kernel.perf_event_paranoid=2",
			 meter_paranoid());
	else if (reason != 0)
		snprintf(why, METER_TEXT,
			 "perf_event_open: %s; remedy in a container: allow this "
			 "system call (seccomp)",
			 strerror(reason));
	else
		snprintf(why, METER_TEXT, "%.200s", papi);
}

static void open_count(struct meter *m, int which)
{
	char papi[METER_TEXT] = "";
	int code = PAPI_OK;

	for (int k = 0; k < 2; k++) {
		code = meter_set_add(&m->count_set, events[which][k]);
		if (code != PAPI_OK)
			continue;
		m->at[which] = m->count_set.count - 1;
		m->count_name[which] = events[which][k];
		return;
	}
	snprintf(papi, sizeof papi, "PAPI: %s: %s", events[which][1], PAPI_strerror(code));
	explain(papi, m->count_why[which]);
}

static void give_up(struct meter *m, const char *why)
{
	for (int i = 0; i < 2; i++) {
		if (m->at[i] >= 0 || !m->count_why[i][0])
			snprintf(m->count_why[i], METER_TEXT, "%s", why);
		m->at[i] = -1;
	}
	meter_set_close(&m->count_set);
}

/* Threads that are started later inherit the counters, for instance the one that writes
 * checkpoints, since the counts are those of a process. */
void meter_counts_open(struct meter *m)
{
	char papi[METER_TEXT], why[METER_TEXT];

	m->at[0] = m->at[1] = -1;
	if (meter_kernel_counts() != 0) {
		explain("", why);
		give_up(m, why);
		return;
	}
	if (meter_set_open(&m->count_set, "perf_event", true, papi) != RB_OK) {
		explain(papi, why);
		give_up(m, why);
		return;
	}
	open_count(m, 0);
	open_count(m, 1);
	if (m->count_set.count > 0 && meter_set_start(&m->count_set, papi) != RB_OK)
		give_up(m, papi);
}

void meter_counts_read(struct meter *m, struct meter_sample *out)
{
	long long values[2] = { 0, 0 };
	char why[METER_TEXT];
	int code;

	out->cycles = out->instructions = NAN;
	if (m->at[0] < 0 && m->at[1] < 0)
		return;
	code = meter_set_read(&m->count_set, values);
	if (code != PAPI_OK) {
		snprintf(why, sizeof why, "PAPI_read: %s", PAPI_strerror(code));
		give_up(m, why);
		return;
	}
	if (m->at[0] >= 0)
		out->cycles = (double)values[m->at[0]];
	if (m->at[1] >= 0)
		out->instructions = (double)values[m->at[1]];
}

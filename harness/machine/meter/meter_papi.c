/* Energy by PAPI: the kernel's perf events under PAPI's names, and its rapl component. The latter
 * ends the process (exit 127) if an MSR that could be read at first cannot be read later, so it is
 * the last choice. */
#include "harness/machine/meter/meter_inside.h"

#include "base/status.h"

#include <papi.h>
#include <stdio.h>
#include <unistd.h>

/* Names by domain. The first prefix whose event is known is that of the machine. */
struct naming {
	const char *prefix[3];
	const char *event[METER_DOMAINS];
	bool by_cpu; /* the event takes a processing unit of the package instead of its number */
	double unit_j, patience_s;
};

/* PAPI corrects wraps of 32-bit registers when it reads them; their finest common unit is 2^-16
 * J. */
static const struct naming rapl = {
	.prefix = { "rapl:::" },
	.event = { "PACKAGE_ENERGY:PACKAGE", "PP0_ENERGY:PACKAGE", "PP1_ENERGY:PACKAGE",
		   "DRAM_ENERGY:PACKAGE", "PSYS_ENERGY:PACKAGE" },
	.unit_j = 1e-9,
	.patience_s = 65536.0 / METER_MAX_W,
};

/* The kernel extends the registers to 64 bits by a timer of its own. */
static const struct naming uncore = {
	.prefix = { "rapl::", "amd64_rapl::" },
	.event = { "RAPL_ENERGY_PKG:cpu=", "RAPL_ENERGY_CORES:cpu=", "RAPL_ENERGY_GPU:cpu=",
		   "RAPL_ENERGY_DRAM:cpu=", "RAPL_ENERGY_PSYS:cpu=" },
	.by_cpu = true,
	.unit_j = 0x1p-32,
	.patience_s = 1e30,
};

/* Add one event of one package. Returns PAPI's code: most processors lack some domains. */
static int add_event(struct meter *m, const struct naming *names, const struct meter_package *p,
		     enum meter_domain domain)
{
	int code = PAPI_ENOEVNT, i;
	char name[64];

	for (int k = 0; names->prefix[k] && code != PAPI_OK; k++) {
		snprintf(name, sizeof name, "%s%s%d", names->prefix[k], names->event[domain],
			 names->by_cpu ? p->first_cpu : p->number);
		code = meter_set_add(&m->energy_set, name);
	}
	if (code != PAPI_OK)
		return code;
	i = meter_add(m, domain, domain == METER_PSYS ? METER_ALL : p->number, name);
	m->counter[i].why[0] = '\0';
	m->state[i].unit_j = names->unit_j;
	m->state[i].patience_s = names->patience_s;
	return PAPI_OK;
}

/* Add the events of one package. psys belongs to the whole machine, so it is read with the first
 * package. Returns the last refusal. */
static int add_package(struct meter *m, const struct naming *names, int at)
{
	int refusal = PAPI_OK;

	for (int d = 0; d < METER_DOMAINS; d++) {
		int code;

		if ((d == METER_PSYS && at > 0) || m->counters == METER_COUNTERS)
			continue;
		code = add_event(m, names, &m->packages[at], (enum meter_domain)d);
		refusal = code == PAPI_OK ? refusal : code;
	}
	return refusal;
}

static int open_events(struct meter *m, const char *component, const struct naming *names,
		       char *why)
{
	int refusal = PAPI_ENOEVNT;

	RB_TRY(meter_set_open(&m->energy_set, component, false, why));
	for (int at = 0; at < m->package_count; at++) {
		if (meter_wants(m, m->packages[at].number))
			refusal = add_package(m, names, at);
	}
	if (m->counters > 0)
		return meter_set_start(&m->energy_set, why);
	snprintf(why, METER_TEXT, "no energy event can be opened: PAPI: %s",
		 PAPI_strerror(refusal));
	return RB_EIO;
}

static bool ask_kernel(const struct meter_source *source)
{
	return access(source == &meter_source_rapl ? "/dev/cpu/0/msr"
						   : "/sys/bus/event_source/devices/power",
		      F_OK) == 0;
}

bool (*meter_kernel_reads)(const struct meter_source *source) = ask_kernel;

static int rapl_open(struct meter *m, char *why)
{
	char reason[METER_TEXT];
	int rc = RB_EIO;

	if (!meter_kernel_reads(&meter_source_rapl)) {
		snprintf(
			why, METER_TEXT,
			"there is no /dev/cpu/0/msr; remedy on a bare machine: modprobe msr, and a "
			"PAPI that was built with this component");
		return rc;
	}
	rc = open_events(m, "rapl", &rapl, reason);
	if (rc != RB_OK)
		snprintf(why, METER_TEXT,
			 "%.120s; it needs /dev/cpu/*/msr readable (root, CAP_SYS_RAWIO)", reason);
	return rc;
}

static int uncore_open(struct meter *m, char *why)
{
	char reason[METER_TEXT] = "";
	int paranoid = meter_paranoid(),
	    rc = !meter_kernel_reads(&meter_source_uncore)
			 ? RB_EIO
			 : open_events(m, "perf_event_uncore", &uncore, reason);

	if (rc == RB_OK)
		return rc;
	if (access("/sys/bus/event_source/devices/power", F_OK) != 0)
		snprintf(why, METER_TEXT,
			 "the kernel has no perf event source 'power'; remedy on a bare machine: "
			 "modprobe rapl (for AMD, too)");
	else if (paranoid > 0 && getuid() != 0)
		snprintf(why, METER_TEXT,
			 "kernel.perf_event_paranoid is %d; remedy: sysctl "
			 "kernel.perf_event_paranoid=0, or run as root",
			 paranoid);
	else
		snprintf(why, METER_TEXT, "%s", reason);
	return rc;
}

/* PAPI reads all counters or none. */
static void papi_read(struct meter *m, uint64_t *raw)
{
	long long values[METER_COUNTERS];
	int code = meter_set_read(&m->energy_set, values);

	for (int i = 0; i < m->counters; i++) {
		if (m->counter[i].why[0])
			continue;
		if (code == PAPI_OK)
			raw[i] = (uint64_t)values[i];
		else
			meter_lose(m, i, "PAPI_read: %s", PAPI_strerror(code));
	}
}

static void papi_close(struct meter *m)
{
	meter_set_close(&m->energy_set);
}

const struct meter_source meter_source_rapl = {
	.name = "papi rapl",
	.open = rapl_open,
	.read = papi_read,
	.close = papi_close,
};

const struct meter_source meter_source_uncore = {
	.name = "perf_event_uncore",
	.open = uncore_open,
	.read = papi_read,
	.close = papi_close,
};

#include "harness/record/host.h"

#include "build_info.h"
#include "harness/job/mpirun.h"
#include "harness/machine/fact.h"
#include "harness/machine/pin.h"
#include "harness/transport/components.h"
#include "harness/transport/transport.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LINE = 512 };

static void cpu_model(char *out, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[LINE], *colon;

	snprintf(out, size, "unknown");
	while (f && fgets(line, sizeof line, f)) {
		colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, size, "%s", colon + 2);
		break;
	}
	if (f)
		fclose(f);
}

static void mpi_version(const char *run_dir, char *out, size_t size)
{
	fact_read(run_dir, "mpi-version", out, size);
	if (!out[0])
		snprintf(out, size, "unknown: no worker came up");
}

/* "prterun (PRRTE) 3.0.8". It is asked once, because this starts a process. */
static const char *prrte_version(void)
{
	static char version[LINE];
	FILE *f;

	if (version[0])
		return version;
	f = popen("prterun --version 2>/dev/null", "re");
	if (f && fgets(version, sizeof version, f))
		version[strcspn(version, "\n")] = '\0';
	if (f)
		pclose(f);
	if (!version[0])
		snprintf(version, sizeof version, "unknown: prterun not found");
	return version;
}

/* What the job measured (harness/rank/describe.h); NULL: nothing. */
static json_t *network(const char *run_dir)
{
	char line[LINE], host[LINE];
	double seconds, rate;
	json_t *found = NULL;
	int partner;

	fact_read(run_dir, "network", line, sizeof line);
	if (sscanf(line, "%d %lg %lg %511s", &partner, &seconds, &rate, host) == 4)
		found = json_pack("{s:i, s:s, s:f, s:f}", "partner", partner, "host", host,
				  "one_way_s", seconds, "bytes_per_s", rate);
	return found;
}

/* With shared_memory: false if a rank had none, although its MPI was to use it. The component is
 * not among those of the process then. */
static json_t *transport(const char *run_dir)
{
	json_t *found = transport_of_run(transport_plan(), run_dir);
	const json_t *btl = json_object_get(json_object_get(found, "parameters"), "btl");
	const char *list = json_string_value(json_object_get(btl, "value"));
	const bool not_all = fact_there(run_dir, FACT_SHARES_NOT);
	struct components may;

	if (!list || (!not_all && !fact_there(run_dir, FACT_SHARES)))
		return found;
	components_read(&may, list);
	if (components_have(&may, "sm"))
		json_object_set_new(found, "shared_memory", json_boolean(!not_all));
	return found;
}

json_t *host_json(const char *run_dir)
{
	struct pin_machine machine = pin_machine();
	char cpu[LINE], mpi[LINE], kernel[LINE], topology[LINE], mpirun[MPIRUN_TEXT];
	bool known = pin_topology(topology, sizeof topology) == 0;
	struct utsname uts;
	json_t *started, *measured = network(run_dir);

	uname(&uts);
	snprintf(kernel, sizeof kernel, "%s %s", uts.sysname, uts.release);
	cpu_model(cpu, sizeof cpu);
	mpi_version(run_dir, mpi, sizeof mpi);
	mpirun_text(mpirun);
	started = json_string(mpirun); /* NULL if it is not UTF-8 */
	return json_pack("{s:s, s:s, s:i, s:i, s:s?, s:I, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, "
			 "s:o*, s:o*}",
			 "hostname", uts.nodename, "cpu", cpu, "cores", machine.cores, "pus",
			 machine.pus, "topology", known ? topology : NULL, "memory_bytes",
			 (json_int_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), "kernel",
			 kernel, "mpi", mpi, "prrte", prrte_version(), "mpirun",
			 started ? started : json_null(), "compiler", BUILD_COMPILER, "flags",
			 BUILD_FLAGS, "built_for", BUILD_CPU, "commit", BUILD_COMMIT, "transport",
			 transport(run_dir), "network", measured);
}

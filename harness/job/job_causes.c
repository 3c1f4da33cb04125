#include "harness/job/job_causes.h"

#include <stddef.h>
#include <string.h>

/* The words are those of Open MPI 5, PRRTE 3 and 4, PMIx 5, ssh and the dynamic linker. */
static const struct cause {
	const char *words[4], *remedy;
	bool kill; /* killing a process brings this message, too */
} causes[] = {
	{ .words = { "No network interfaces were found", "unable to find network interfaces",
		     "listener thread failed to start" },
	  .remedy = "`ip link set lo up`, and no name in PRTE_MCA_prte_if_include or "
		    "PMIX_MCA_ptl_tcp_if_include that this host does not have" },
	{ .words = { "Could not resolve hostname" },
	  .remedy = "correct the name in the host file, or make it known in /etc/hosts or DNS" },
	{ .words = { "Permission denied (", "Host key verification failed" },
	  .remedy = "let ssh reach that host without a password or a question" },
	{ .words = { "No available launching agents", "parameter \"plm_ssh_agent\"" },
	  .remedy =
		  "install ssh on this host, or set PRTE_MCA_plm_ssh_agent to what starts processes on others" },
	{ .words = { "prted: command not found", "prted: not found", "prted: No such file" },
	  .remedy =
		  "install Open MPI at the same path on every host, or set PRTE_MCA_prte_launch_agent to its "
		  "prted" },
	{ .words = { "error while loading shared libraries" },
	  .remedy = "let LD_LIBRARY_PATH have the folder of that library on every host" },
	{ .words = { "Too many open files", "SYS_LIMITS_PIPES", "number of pipes that can be open",
		     "ran out of file descriptors" },
	  .remedy =
		  "raise the limit of open files (`ulimit -n 4096`), or take fewer ranks a host" },
	{ .words = { "Resource temporarily unavailable",
		     "system limit exceeded on number of processes", "SYS_LIMITS_CHILDREN" },
	  .remedy =
		  "raise the limit of processes (`ulimit -u`; in a container its pids limit), or take fewer "
		  "ranks a host" },
	{ .words = { "not enough space for" },
	  .remedy = "make /dev/shm larger or free it (`df /dev/shm`; in a container --shm-size)" },
	{ .words = { "No space left on device", "Disk quota exceeded", "pmix_shmem.c" },
	  .remedy = "free space, another --workdir or TMPDIR, or a larger limit of file sizes "
		    "(`ulimit -f unlimited`)" },
	{ .words = { "signal 25", "File too large" },
	  .remedy = "raise the limit of file sizes (`ulimit -f unlimited`)" },
	{ .words = { "directive is not recognized", "PPR:", "Conflicting directives",
		     "rmaps_default" },
	  .remedy =
		  "correct or unset PRTE_MCA_rmaps_default_mapping_policy and _ranking_policy, also in "
		  "prte-mca-params.conf" },
	{ .words = { "unrecognized option", "was listed more than once" },
	  .remedy = "leave that option out of $ROLLBENCH_MPIRUN_ARGS" },
	{ .words = { "requested component was not found" },
	  .remedy =
		  "no such component in $ROLLBENCH_MPIRUN_ARGS or in OMPI_MCA_, PRTE_MCA_ and PMIX_MCA_ "
		  "variables" },
	{ .words = { "unable to reach each other" },
	  .remedy = "unset OMPI_MCA_btl, or name self, sm and tcp in it" },
	{ .words = { "No route to host", "Connection refused", "Connection timed out" },
	  .remedy =
		  "let the hosts reach each other by TCP at all ports, or name their common network: "
		  "ROLLBENCH_MPIRUN_ARGS='--mca btl_tcp_if_include NET --prtemca prte_if_include NET'",
	  .kill = true },
	{ .words = { "signal 9 (Killed)" },
	  .remedy =
		  "if the kernel ran out of memory (`dmesg`): fewer ranks a host, or a smaller problem",
	  .kill = true },
};

const char *job_causes_remedy(const char *message, bool kills)
{
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		for (size_t k = 0; k < sizeof causes->words / sizeof *causes->words; k++)
			if (causes[i].words[k] && strstr(message, causes[i].words[k]) &&
			    !(kills && causes[i].kill))
				return causes[i].remedy;
	return NULL;
}

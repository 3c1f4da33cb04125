#include "harness/pin.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

static hwloc_bitmap_t inherited; /* what this process was bound to before it bound itself */

/* hwloc leaves out what the administrator does not allow; what the caller has bound us to (taskset,
 * a batch system) is left out here, so every core that remains may be ours. */
static int load(hwloc_topology_t *topology)
{
	if (hwloc_topology_init(topology) != 0)
		return -1;
	if (hwloc_topology_load(*topology) != 0) {
		hwloc_topology_destroy(*topology);
		return -1;
	}
	if (!inherited && (inherited = hwloc_bitmap_alloc()) &&
	    hwloc_get_cpubind(*topology, inherited, HWLOC_CPUBIND_PROCESS) != 0)
		hwloc_bitmap_fill(inherited);
	if (inherited)
		hwloc_topology_restrict(*topology, inherited, 0);
	return 0;
}

static int bind(hwloc_topology_t topology, int slot, char *text, size_t size)
{
	int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	hwloc_obj_t core;

	if (cores < 1) {
		snprintf(text, size, "unbound: hwloc sees no cores");
		return -1;
	}
	core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)(slot % cores));
	if (hwloc_set_cpubind(topology, core->cpuset, HWLOC_CPUBIND_PROCESS) != 0) {
		snprintf(text, size, "unbound: %s", strerror(errno));
		return -1;
	}
	hwloc_bitmap_list_snprintf(text, size, core->cpuset);
	return 0;
}

int pin_self(int slot, char *text, size_t size)
{
	hwloc_topology_t topology;
	int rc;

	if (load(&topology) != 0) {
		snprintf(text, size, "unbound: hwloc cannot read the topology");
		return -1;
	}
	rc = bind(topology, slot, text, size);
	hwloc_topology_destroy(topology);
	return rc;
}

struct pin_machine pin_machine(void)
{
	struct pin_machine machine = { -1, -1 };
	hwloc_topology_t topology;

	if (load(&topology) != 0)
		return machine;
	machine.cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	machine.pus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	hwloc_topology_destroy(topology);
	return machine;
}

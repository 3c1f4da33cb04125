#include "harness/machine/pin.h"

#include "harness/machine/meter/meter.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

/* hwloc leaves out cores that the administrator does not allow. Cores to which the caller has not
 * bound this process (taskset, a batch system) are left out here, so every remaining core may be
 * used. The topology is loaded once, before this process binds itself. */
static hwloc_topology_t topology(void)
{
	static hwloc_topology_t machine;
	static bool loaded;
	hwloc_bitmap_t inherited;

	if (loaded)
		return machine;
	if (hwloc_topology_init(&machine) != 0)
		return NULL;
	if (hwloc_topology_load(machine) != 0) {
		hwloc_topology_destroy(machine);
		return NULL;
	}
	loaded = true;
	inherited = hwloc_bitmap_alloc();
	if (inherited && hwloc_get_cpubind(machine, inherited, HWLOC_CPUBIND_PROCESS) == 0)
		hwloc_topology_restrict(machine, inherited, 0);
	hwloc_bitmap_free(inherited);
	return machine;
}

void pin_prepare(void)
{
	topology();
}

int pin_self(int slot, char *text, size_t size)
{
	hwloc_topology_t machine = topology();
	int cores = machine ? hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) : 0;
	hwloc_obj_t core;

	if (cores < 1) {
		snprintf(text, size, "unbound: hwloc %s",
			 machine ? "sees no cores" : "cannot read the topology");
		return -1;
	}
	core = hwloc_get_obj_by_type(machine, HWLOC_OBJ_CORE, (unsigned)(slot % cores));
	if (hwloc_set_cpubind(machine, core->cpuset, HWLOC_CPUBIND_PROCESS) != 0) {
		snprintf(text, size, "unbound: %s", strerror(errno));
		return -1;
	}
	hwloc_bitmap_list_snprintf(text, size, core->cpuset);
	return 0;
}

int pin_package(void)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_topology_t machine = topology();
	int package = METER_NONE;

	if (set && machine && hwloc_get_cpubind(machine, set, HWLOC_CPUBIND_PROCESS) == 0)
		package = meter_package_of(machine, set);
	hwloc_bitmap_free(set);
	return package;
}

struct pin_machine pin_machine(void)
{
	hwloc_topology_t machine = topology();

	if (!machine)
		return (struct pin_machine){ -1, -1 };
	return (struct pin_machine){ hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE),
				     hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU) };
}

int pin_topology(char *text, size_t size)
{
	hwloc_topology_t machine = topology();

	if (machine &&
	    hwloc_topology_export_synthetic(machine, text, size,
					    HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_NO_ATTRS) > 0)
		return 0;
	text[0] = '\0';
	return -1;
}

/* Which packages there are, to which of them this process is bound, and which process reads it. */
#include "harness/machine/meter/meter.h"

/* Some virtual machines do not number their packages. */
static int number_of(hwloc_obj_t package)
{
	return package->os_index == HWLOC_UNKNOWN_INDEX ? (int)package->logical_index
							: (int)package->os_index;
}

int meter_packages_in(hwloc_topology_t topology, struct meter_package *out, int max)
{
	hwloc_obj_t p = NULL;
	int n = 0;

	while (n < max && (p = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, p)))
		out[n++] = (struct meter_package){ number_of(p), hwloc_bitmap_first(p->cpuset) };
	return n;
}

int meter_package_of(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
	hwloc_obj_t p = NULL, found = NULL;

	while ((p = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, p))) {
		if (!hwloc_bitmap_intersects(p->cpuset, set))
			continue;
		if (found)
			return METER_NONE;
		found = p;
	}
	return found ? number_of(found) : METER_NONE;
}

static bool load(hwloc_topology_t *topology)
{
	if (hwloc_topology_init(topology) != 0)
		return false;
	if (hwloc_topology_load(*topology) == 0)
		return true;
	hwloc_topology_destroy(*topology);
	return false;
}

int meter_packages(struct meter_package *out, int max)
{
	hwloc_topology_t topology;
	int n;

	if (!load(&topology))
		return 0;
	n = meter_packages_in(topology, out, max);
	hwloc_topology_destroy(topology);
	return n;
}

int meter_package_of_self(void)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_topology_t topology;
	int package = METER_NONE;

	if (set && load(&topology)) {
		if (hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0)
			package = meter_package_of(topology, set);
		hwloc_topology_destroy(topology);
	}
	hwloc_bitmap_free(set);
	return package;
}

bool meter_is_reader(const int *node, const int *package, int self)
{
	if (package[self] == METER_NONE)
		return false;
	for (int r = 0; r < self; r++) {
		if (package[r] == package[self] && (!node || node[r] == node[self]))
			return false;
	}
	return true;
}

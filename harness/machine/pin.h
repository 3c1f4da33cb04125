/* harness/machine/pin.h - bind processes to cores by hwloc, and describe the binding. */
#ifndef HARNESS_MACHINE_PIN_H
#define HARNESS_MACHINE_PIN_H

#include <stddef.h>

/* Read the topology of the machine. It takes milliseconds, which a spare must not spend while all
 * others wait for it to bind itself. */
void pin_prepare(void);

/* Bind the calling process to the slot-th core that it may use; more slots than cores wrap around.
 * Writes the processing units, or "unbound: reason", to text. 0 if bound, -1 if not. */
int pin_self(int slot, char *text, size_t size);

/* The package that the calling process is bound to, as the operating system numbers it; METER_NONE
 * (harness/machine/meter/meter.h) if it is bound to several or to none. */
int pin_package(void);

/* Cores and processing units that this process may use; -1 if hwloc cannot tell. */
struct pin_machine {
	int cores, pus;
};
struct pin_machine pin_machine(void);

/* The machine in hwloc's synthetic notation ("Package:1 L3Cache:1 Core:2 PU:1": the children of
 * each level). -1 and "" if hwloc cannot express it, for instance because the parts differ. */
int pin_topology(char *text, size_t size);

#endif

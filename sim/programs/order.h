/* sim/programs/order.h - waits in an order in which they can be executed (private to
 * sim/programs). */
#ifndef SIM_PROGRAMS_ORDER_H
#define SIM_PROGRAMS_ORDER_H

#include "sim/programs/programs.h"

/* Fill in `waits`, `simple` and `order` of a program whose segments and messages are loaded, for np
 * roles. RB_OK; RB_ENOMEM; RB_EINVAL: roles wait for each other. */
int order_waits(struct program *p, int np);

#endif

/* forecast/programs/order.h - waits in an order in which they can be executed (private to
 * forecast/programs). */
#ifndef FORECAST_PROGRAMS_ORDER_H
#define FORECAST_PROGRAMS_ORDER_H

#include "forecast/programs/program.h"

/* Fill in `waits`, `simple` and `order` of a program whose segments and messages are loaded, for np
 * roles. RB_OK; RB_ENOMEM; RB_EINVAL: roles wait for each other. */
int order_waits(struct program *p, int np);

#endif

/* ft/msg/results_port.h - reductions over all roles whose results are recorded: on the logging
 * port, with data-flow rollback (ft/log/results.h; private to ft/).
 *
 * Nobody ever needs a message of such a reduction again. So these messages go past the log, the
 * policy is not asked, and they have no place (ft/log/place.h). */
#ifndef FT_MSG_RESULTS_PORT_H
#define FT_MSG_RESULTS_PORT_H

#include "ft/log/demand.h"
#include "ft/log/results.h"
#include "ft/msg/cursor.h"
#include "ft/msg/layer.h"

struct results_port {
	struct layer layer;
	struct msg *past; /* the port below the log, for messages of reductions */
	struct cursor *cursor;
	const struct demand *demand;
	struct results results;
	/* iterations before it are complete on a survivor: their results are known */
	int64_t newest;
	bool in_reduction;
};

/* plain, cursor, demand: the owner's. */
void results_port_init(struct results_port *p, struct plain_port *plain, struct cursor *cursor,
		       const struct demand *demand);
void results_port_free(struct results_port *p);
void results_port_begin(struct results_port *p, int64_t iter); /* an iteration */

#endif

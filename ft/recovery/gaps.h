/* ft/recovery/gaps.h - which messages a role could not send again (private to ft/). */
#ifndef FT_RECOVERY_GAPS_H
#define FT_RECOVERY_GAPS_H

#include "ft/msg/logging_port.h"
#include "ft/recovery/cone.h"

/* The messages of iterations oldest, ..., front - 1 that the role of this port has sent, according to its pattern, and that
 * are not in its log, as runs of iterations for each receiver. A message counts as logged only if all messages of its
 * iteration to that receiver are. *list is the caller's to free. RB_OK, RB_ENOMEM or what the pattern returned. */
int gaps_list(struct gap **list, size_t *count, const struct logging_port *port, const struct pattern *pattern,
	      int64_t oldest, int64_t front);

#endif

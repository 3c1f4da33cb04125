/* ft/recovery/gaps.h - which messages a role could not send again (private to ft/ and forecast/).
 */
#ifndef FT_RECOVERY_GAPS_H
#define FT_RECOVERY_GAPS_H

#include "ft/log/kept.h"
#include "ft/log/log.h"
#include "ft/recovery/cone.h"

struct gaps_case {
	int role;
	const struct log *log;   /* of the role */
	const struct kept *kept; /* NULL: the role has kept nothing */
	const struct pattern *pattern;
	int64_t oldest, front; /* the iterations oldest, ..., front - 1 are looked at */
};

/* The messages that the role has sent, according to its pattern, and that are not in its log, as
 * runs of iterations for each receiver. A message counts as logged only if all messages of its
 * iteration to that receiver are. *list is the caller's to free. RB_OK, RB_ENOMEM or what the
 * pattern returned. */
int gaps_list(struct gap **list, size_t *count, const struct gaps_case *x);
/* Keep of each gap what is of iteration `oldest` or later. Returns how many gaps are left; they
 * move to the front. */
size_t gaps_cut(struct gap *list, size_t count, int64_t oldest);

#endif

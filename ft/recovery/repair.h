/* ft/recovery/repair.h - from a lost communicator to a whole one: spares take over lost roles.
 *
 * Each epoch has its own communicator (docs/ulfm-notes.md). repair() is collective over all living
 * processes, loops until one pass closes with a successful agreement, and before that changes only
 * the membership, if it starts processes. An agreement follows every constructor before any other
 * collective on what it has made, and the output of a failed constructor is never touched. */
#ifndef FT_RECOVERY_REPAIR_H
#define FT_RECOVERY_REPAIR_H

#include "base/error.h"
#include "ft/msg/ports.h"
#include "ft/recovery/membership.h"
#include "ft/recovery/recovery.h"

/* mine: the ports of this role, with their logs; NULL for a spare. RB_OK (members are whole again),
 * RB_ESPARES (the same on all processes; rec->shortage says how many) or RB_ENOMEM. */
int repair(struct membership *members, const struct role_status *self, const struct ports *mine,
	   struct recovery *rec);

#endif

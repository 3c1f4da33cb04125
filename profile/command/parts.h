/* profile/command/parts.h - what a role does in an iteration, part by part in program order: its
 * own work, exchanges of messages, the commit (message-logging-kernels paper, Fig. 2). */
#ifndef PROFILE_COMMAND_PARTS_H
#define PROFILE_COMMAND_PARTS_H

#include "contract/pattern.h"

#include <jansson.h>

/* *parts: new reference, a list of
 *
 *      part                  "work", "exchange" or "commit"
 *      name                  in words; null: the messages are of a part that has no name
 *      sends, send_bytes     of an exchange, likewise `receives`: messages, and bytes of all
 *      to, from              the roles, in ascending order
 *      waits                 how often the role waits for what it has posted
 *
 * RB_OK, or what pattern.operations returned; then there is no list. */
int parts_list(struct kernel_pattern *pattern, int role, int64_t iter, json_t **parts);

/* On stdout; of a kernel with messages also what a failure does. in_place: of the kernel's plan. */
void parts_print(const json_t *parts, bool in_place);

#endif

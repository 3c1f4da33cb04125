/* profile/command/role_list.h - roles that are found one by one. */
#ifndef PROFILE_COMMAND_ROLE_LIST_H
#define PROFILE_COMMAND_ROLE_LIST_H

#include <jansson.h>
#include <stddef.h>

struct role_list {
	int *role;
	size_t count, room;
};

/* RB_OK or RB_ENOMEM. The caller frees list->role. */
int role_list_add(struct role_list *list, int role);
/* In ascending order, each once. */
void role_list_sort(struct role_list *list);
/* New reference. */
json_t *role_list_json(const struct role_list *list);

#endif

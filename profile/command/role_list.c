#include "profile/command/role_list.h"

#include "base/grow.h"
#include "base/status.h"

#include <stdlib.h>

int role_list_add(struct role_list *list, int role)
{
	int *grown = grow(list->role, list->count + 1, &list->room, sizeof *grown);

	if (!grown)
		return RB_ENOMEM;
	list->role = grown;
	list->role[list->count++] = role;
	return RB_OK;
}

static int by_number(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

void role_list_sort(struct role_list *list)
{
	size_t kept = 0;

	if (list->count == 0)
		return;
	qsort(list->role, list->count, sizeof *list->role, by_number);
	for (size_t k = 0; k < list->count; k++)
		if (kept == 0 || list->role[k] != list->role[kept - 1])
			list->role[kept++] = list->role[k];
	list->count = kept;
}

json_t *role_list_json(const struct role_list *list)
{
	json_t *roles = json_array();

	for (size_t k = 0; k < list->count; k++)
		json_array_append_new(roles, json_integer(list->role[k]));
	return roles;
}

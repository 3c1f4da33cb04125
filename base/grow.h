/* base/grow.h - lists that grow. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

enum { GROW_FIRST = 32 };

/* The list with room for at least `needed` elements of so many bytes each; *room: for how many it
 * has room. NULL: out of memory, and the list is as it was. */
static inline void *grow(void *list, size_t needed, size_t *room, size_t size)
{
	size_t more = *room ? *room : GROW_FIRST;
	void *grown;

	if (list && needed <= *room)
		return list;
	while (more < needed)
		more *= 2;
	grown = realloc(list, more * size);
	if (grown)
		*room = more;
	return grown;
}

#endif

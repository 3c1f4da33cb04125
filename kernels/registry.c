#include "contract/kernel.h"

#include <stddef.h>
#include <string.h>

#define KERNEL(name) extern const struct kernel_ops kernel_##name;
#include "kernels/list.h"
#undef KERNEL

#define KERNEL(name) &kernel_##name,
const struct kernel_ops *const kernel_registry[] = {
#include "kernels/list.h"
	NULL
};

const struct kernel_ops *kernel_find(const char *name)
{
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++)
		if (strcmp((*k)->name, name) == 0)
			return *k;
	return NULL;
}

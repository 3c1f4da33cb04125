#include "kernels/cg/cg.h"
#include "kernels/jacobi/jacobi.h"
#include "kernels/kernel.h"
#include "kernels/lulesh/lulesh.h"
#include "kernels/triad/triad.h"

#include <string.h>

const struct kernel_ops *const kernel_registry[] = { &kernel_cg, &kernel_lulesh, &kernel_jacobi,
						     &kernel_triad, NULL };

const struct kernel_ops *kernel_find(const char *name)
{
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++)
		if (strcmp((*k)->name, name) == 0)
			return *k;
	return NULL;
}

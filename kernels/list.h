/* kernels/list.h - all kernels, one line each; KERNEL(cg) stands for the struct kernel_ops
 * kernel_cg, wherever below kernels/ it is defined. docs/add-a-kernel.md shows how to add one.
 * Included more than once, each time with another KERNEL(). */
KERNEL(cg)
KERNEL(lulesh)
KERNEL(jacobi)
KERNEL(bfs)
KERNEL(amr)
KERNEL(triad)

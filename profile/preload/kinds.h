/* profile/preload/kinds.h - the collectives, in alphabetical order, as the rows of a profile have
 * them. */
#ifndef PROFILE_PRELOAD_KINDS_H
#define PROFILE_PRELOAD_KINDS_H

/* clang-format takes this list for calls within calls. */
/* clang-format off */
#define KINDS(X) \
	X(allgather) X(allgather_init) X(allgatherv) X(allgatherv_init) X(allreduce) \
	X(allreduce_init) X(alltoall) X(alltoall_init) X(alltoallv) X(alltoallv_init) \
	X(alltoallw) X(alltoallw_init) X(barrier) X(barrier_init) X(bcast) X(bcast_init) \
	X(exscan) X(exscan_init) X(gather) X(gather_init) X(gatherv) X(gatherv_init) \
	X(iallgather) X(iallgatherv) X(iallreduce) X(ialltoall) X(ialltoallv) X(ialltoallw) \
	X(ibarrier) X(ibcast) X(iexscan) X(igather) X(igatherv) X(ineighbor_allgather) \
	X(ineighbor_allgatherv) X(ineighbor_alltoall) X(ineighbor_alltoallv) \
	X(ineighbor_alltoallw) X(ireduce) X(ireduce_scatter) X(ireduce_scatter_block) X(iscan) \
	X(iscatter) X(iscatterv) X(neighbor_allgather) X(neighbor_allgather_init) \
	X(neighbor_allgatherv) X(neighbor_allgatherv_init) X(neighbor_alltoall) \
	X(neighbor_alltoall_init) X(neighbor_alltoallv) X(neighbor_alltoallv_init) \
	X(neighbor_alltoallw) X(neighbor_alltoallw_init) X(reduce) X(reduce_init) \
	X(reduce_scatter) X(reduce_scatter_block) X(reduce_scatter_block_init) \
	X(reduce_scatter_init) X(scan) X(scan_init) X(scatter) X(scatter_init) X(scatterv) \
	X(scatterv_init)
/* clang-format on */

#define KIND_NAME(name) KIND_##name,
enum kind { KINDS(KIND_NAME) KIND_COUNT };
#undef KIND_NAME

#endif

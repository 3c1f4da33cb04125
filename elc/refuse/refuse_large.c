/* The functions of MPI 4 whose counts are MPI_Count: refused (refuse.c). */
#include "elc/refuse/refuse.h"

#if MPI_VERSION >= 4
REFUSE(Send_c, (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm),
       (buf, n, t, dest, tag, comm))
REFUSE(Bsend_c, (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm),
       (buf, n, t, dest, tag, comm))
REFUSE(Ssend_c, (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm),
       (buf, n, t, dest, tag, comm))
REFUSE(Rsend_c, (const void *ibuf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm),
       (ibuf, n, t, dest, tag, comm))
REFUSE(Isend_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Ibsend_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Issend_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Irsend_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Recv_c,
       (void *buf, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm,
	MPI_Status *status),
       (buf, n, t, from, tag, comm, status))
REFUSE(Irecv_c,
       (void *buf, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request *r),
       (buf, n, t, from, tag, comm, r))
REFUSE(Sendrecv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, int dest, int sendtag, void *received,
	MPI_Count m, MPI_Datatype u, int from, int recvtag, MPI_Comm comm, MPI_Status *status),
       (sent, n, t, dest, sendtag, received, m, u, from, recvtag, comm, status))
REFUSE(Sendrecv_replace_c,
       (void *buf, MPI_Count n, MPI_Datatype t, int dest, int sendtag, int from, int recvtag,
	MPI_Comm comm, MPI_Status *status),
       (buf, n, t, dest, sendtag, from, recvtag, comm, status))
REFUSE(Isendrecv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, int dest, int sendtag, void *received,
	MPI_Count m, MPI_Datatype u, int from, int recvtag, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, dest, sendtag, received, m, u, from, recvtag, comm, r))
REFUSE(Isendrecv_replace_c,
       (void *buf, MPI_Count n, MPI_Datatype t, int dest, int sendtag, int from, int recvtag,
	MPI_Comm comm, MPI_Request *r),
       (buf, n, t, dest, sendtag, from, recvtag, comm, r))
REFUSE(Mrecv_c,
       (void *buf, MPI_Count n, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
       (buf, n, type, message, status))
REFUSE(Imrecv_c, (void *buf, MPI_Count n, MPI_Datatype type, MPI_Message *message, MPI_Request *r),
       (buf, n, type, message, r))
REFUSE(Send_init_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Bsend_init_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Ssend_init_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Rsend_init_c,
       (const void *buf, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
	MPI_Request *r),
       (buf, n, t, dest, tag, comm, r))
REFUSE(Recv_init_c,
       (void *buf, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request *r),
       (buf, n, t, from, tag, comm, r))
REFUSE(Allgather_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm),
       (sent, n, t, received, m, u, comm))
REFUSE(Allgatherv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm),
       (sent, n, t, received, ms, to, u, comm))
REFUSE(Allreduce_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
       (sent, received, n, t, op, comm))
REFUSE(Alltoall_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm),
       (sent, n, t, received, m, u, comm))
REFUSE(Alltoallv_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], MPI_Datatype t, void *received,
	const MPI_Count ms[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm),
       (sent, ns, at, t, received, ms, to, u, comm))
REFUSE(Alltoallw_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const MPI_Count ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm),
       (sent, ns, at, ts, received, ms, to, us, comm))
REFUSE(Bcast_c, (void *buffer, MPI_Count n, MPI_Datatype t, int root, MPI_Comm comm),
       (buffer, n, t, root, comm))
REFUSE(Exscan_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
       (sent, received, n, t, op, comm))
REFUSE(Gather_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	int root, MPI_Comm comm),
       (sent, n, t, received, m, u, root, comm))
REFUSE(Gatherv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, int root, MPI_Comm comm),
       (sent, n, t, received, ms, to, u, root, comm))
REFUSE(Reduce_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, int root,
	MPI_Comm comm),
       (sent, received, n, t, op, root, comm))
REFUSE(Reduce_scatter_c,
       (const void *sent, void *received, const MPI_Count ms[], MPI_Datatype t, MPI_Op op,
	MPI_Comm comm),
       (sent, received, ms, t, op, comm))
REFUSE(Reduce_scatter_block_c,
       (const void *sent, void *received, MPI_Count m, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
       (sent, received, m, t, op, comm))
REFUSE(Scan_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
       (sent, received, n, t, op, comm))
REFUSE(Scatter_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	int root, MPI_Comm comm),
       (sent, n, t, received, m, u, root, comm))
REFUSE(Scatterv_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint to[], MPI_Datatype t, void *received,
	MPI_Count m, MPI_Datatype u, int root, MPI_Comm comm),
       (sent, ns, to, t, received, m, u, root, comm))
REFUSE(Neighbor_allgather_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm),
       (sent, n, t, received, m, u, comm))
REFUSE(Neighbor_allgatherv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm),
       (sent, n, t, received, ms, to, u, comm))
REFUSE(Neighbor_alltoall_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm),
       (sent, n, t, received, m, u, comm))
REFUSE(Neighbor_alltoallv_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], MPI_Datatype t, void *received,
	const MPI_Count ms[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm),
       (sent, ns, at, t, received, ms, to, u, comm))
REFUSE(Neighbor_alltoallw_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const MPI_Count ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm),
       (sent, ns, at, ts, received, ms, to, us, comm))
REFUSE(Iallgather_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, comm, r))
REFUSE(Iallgatherv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, r))
REFUSE(Iallreduce_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Request *r),
       (sent, received, n, t, op, comm, r))
REFUSE(Ialltoall_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, comm, r))
REFUSE(Ialltoallv_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], MPI_Datatype t, void *received,
	const MPI_Count ms[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, r))
REFUSE(Ialltoallw_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const MPI_Count ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm, MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, r))
REFUSE(Ibcast_c,
       (void *buffer, MPI_Count n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request *r),
       (buffer, n, t, root, comm, r))
REFUSE(Iexscan_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Request *r),
       (sent, received, n, t, op, comm, r))
REFUSE(Igather_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	int root, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, root, comm, r))
REFUSE(Igatherv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, int root, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, ms, to, u, root, comm, r))
REFUSE(Ireduce_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, int root,
	MPI_Comm comm, MPI_Request *r),
       (sent, received, n, t, op, root, comm, r))
REFUSE(Ireduce_scatter_c,
       (const void *sent, void *received, const MPI_Count ms[], MPI_Datatype t, MPI_Op op,
	MPI_Comm comm, MPI_Request *r),
       (sent, received, ms, t, op, comm, r))
REFUSE(Ireduce_scatter_block_c,
       (const void *sent, void *received, MPI_Count m, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Request *r),
       (sent, received, m, t, op, comm, r))
REFUSE(Iscan_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Request *r),
       (sent, received, n, t, op, comm, r))
REFUSE(Iscatter_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	int root, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, root, comm, r))
REFUSE(Iscatterv_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint to[], MPI_Datatype t, void *received,
	MPI_Count m, MPI_Datatype u, int root, MPI_Comm comm, MPI_Request *r),
       (sent, ns, to, t, received, m, u, root, comm, r))
REFUSE(Ineighbor_allgather_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, comm, r))
REFUSE(Ineighbor_allgatherv_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, r))
REFUSE(Ineighbor_alltoall_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, comm, r))
REFUSE(Ineighbor_alltoallv_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], MPI_Datatype t, void *received,
	const MPI_Count ms[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, r))
REFUSE(Ineighbor_alltoallw_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const MPI_Count ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm, MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, r))
REFUSE(Allgather_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Allgatherv_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, info, r))
REFUSE(Allreduce_init_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, comm, info, r))
REFUSE(Alltoall_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Alltoallv_init_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], MPI_Datatype t, void *received,
	const MPI_Count ms[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, info, r))
REFUSE(Alltoallw_init_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const MPI_Count ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, info, r))
REFUSE(Bcast_init_c,
       (void *buffer, MPI_Count n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (buffer, n, t, root, comm, info, r))
REFUSE(Exscan_init_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, comm, info, r))
REFUSE(Gather_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	int root, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, root, comm, info, r))
REFUSE(Gatherv_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, int root, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (sent, n, t, received, ms, to, u, root, comm, info, r))
REFUSE(Reduce_init_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, int root,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, root, comm, info, r))
REFUSE(Reduce_scatter_init_c,
       (const void *sent, void *received, const MPI_Count ms[], MPI_Datatype t, MPI_Op op,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, received, ms, t, op, comm, info, r))
REFUSE(Reduce_scatter_block_init_c,
       (const void *sent, void *received, MPI_Count m, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, m, t, op, comm, info, r))
REFUSE(Scan_init_c,
       (const void *sent, void *received, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, comm, info, r))
REFUSE(Scatter_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	int root, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, root, comm, info, r))
REFUSE(Scatterv_init_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint to[], MPI_Datatype t, void *received,
	MPI_Count m, MPI_Datatype u, int root, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, ns, to, t, received, m, u, root, comm, info, r))
REFUSE(Neighbor_allgather_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Neighbor_allgatherv_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, const MPI_Count ms[],
	const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, info, r))
REFUSE(Neighbor_alltoall_init_c,
       (const void *sent, MPI_Count n, MPI_Datatype t, void *received, MPI_Count m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Neighbor_alltoallv_init_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], MPI_Datatype t, void *received,
	const MPI_Count ms[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, info, r))
REFUSE(Neighbor_alltoallw_init_c,
       (const void *sent, const MPI_Count ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const MPI_Count ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, info, r))
REFUSE(Win_create_c,
       (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, disp_unit, info, comm, win))
REFUSE(Win_allocate_c,
       (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
	MPI_Win *win),
       (size, disp_unit, info, comm, baseptr, win))
REFUSE(Win_allocate_shared_c,
       (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
	MPI_Win *win),
       (size, disp_unit, info, comm, baseptr, win))
REFUSE(Buffer_attach_c, (void *buffer, MPI_Count bytes), (buffer, bytes))
REFUSE(Buffer_detach_c, (void *buffer, MPI_Count *bytes), (buffer, bytes))
#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
REFUSE(Comm_attach_buffer_c, (MPI_Comm comm, void *buffer, MPI_Count bytes), (comm, buffer, bytes))
REFUSE(Comm_detach_buffer_c, (MPI_Comm comm, void *buffer, MPI_Count *bytes), (comm, buffer, bytes))
#endif

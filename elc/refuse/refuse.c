/* What event-logging checkpoints do not cover is refused at the first call, by its name. Without
 * ELC_DIR, the calls pass through. */
#include "elc/refuse/refuse.h"

#include <stdlib.h>
#include <unistd.h>

/* Requests whose end would not be seen. */
REFUSE(Grequest_start,
       (MPI_Grequest_query_function * query_fn, MPI_Grequest_free_function *free_fn,
	MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *r),
       (query_fn, free_fn, cancel_fn, extra_state, r))

/* Neighbourhood collective functions: their neighbours would have to be known. */
REFUSE(Neighbor_allgather,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm),
       (sent, n, t, received, m, u, comm))
REFUSE(Neighbor_allgatherv,
       (const void *sent, int n, MPI_Datatype t, void *received, const int ms[], const int to[],
	MPI_Datatype u, MPI_Comm comm),
       (sent, n, t, received, ms, to, u, comm))
REFUSE(Neighbor_alltoall,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm),
       (sent, n, t, received, m, u, comm))
REFUSE(Neighbor_alltoallv,
       (const void *sent, const int ns[], const int at[], MPI_Datatype t, void *received,
	const int ms[], const int to[], MPI_Datatype u, MPI_Comm comm),
       (sent, ns, at, t, received, ms, to, u, comm))
REFUSE(Neighbor_alltoallw,
       (const void *sent, const int ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const int ms[], const MPI_Aint to[], const MPI_Datatype us[],
	MPI_Comm comm),
       (sent, ns, at, ts, received, ms, to, us, comm))
REFUSE(Ineighbor_allgather,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, comm, r))
REFUSE(Ineighbor_allgatherv,
       (const void *sent, int n, MPI_Datatype t, void *received, const int ms[], const int to[],
	MPI_Datatype u, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, r))
REFUSE(Ineighbor_alltoall,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm, MPI_Request *r),
       (sent, n, t, received, m, u, comm, r))
REFUSE(Ineighbor_alltoallv,
       (const void *sent, const int ns[], const int at[], MPI_Datatype t, void *received,
	const int ms[], const int to[], MPI_Datatype u, MPI_Comm comm, MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, r))
REFUSE(Ineighbor_alltoallw,
       (const void *sent, const int ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const int ms[], const MPI_Aint to[], const MPI_Datatype us[], MPI_Comm comm,
	MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, r))

/* Communicators of other kinds, and other processes. */
REFUSE(Comm_idup, (MPI_Comm comm, MPI_Comm *fresh, MPI_Request *r), (comm, fresh, r))
REFUSE(Graph_create,
       (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
	MPI_Comm *comm_graph),
       (comm_old, nnodes, index, edges, reorder, comm_graph))
REFUSE(Dist_graph_create,
       (MPI_Comm comm_old, int n, const int nodes[], const int degrees[], const int targets[],
	const int weights[], MPI_Info info, int reorder, MPI_Comm *fresh),
       (comm_old, n, nodes, degrees, targets, weights, info, reorder, fresh))
REFUSE(Dist_graph_create_adjacent,
       (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
	int outdegree, const int destinations[], const int destweights[], MPI_Info info,
	int reorder, MPI_Comm *comm_dist_graph),
       (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
	reorder, comm_dist_graph))
REFUSE(Intercomm_create,
       (MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm, int remote_leader, int tag,
	MPI_Comm *newintercomm),
       (local_comm, local_leader, bridge_comm, remote_leader, tag, newintercomm))
REFUSE(Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm),
       (intercomm, high, newintracomm))
REFUSE(Comm_accept,
       (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *fresh),
       (port_name, info, root, comm, fresh))
REFUSE(Comm_connect,
       (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *fresh),
       (port_name, info, root, comm, fresh))
REFUSE(Comm_join, (int fd, MPI_Comm *intercomm), (fd, intercomm))
REFUSE(Comm_disconnect, (MPI_Comm * comm), (comm))
REFUSE(Comm_spawn,
       (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
	MPI_Comm *intercomm, int array_of_errcodes[]),
       (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))
REFUSE(Comm_spawn_multiple,
       (int n, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
	const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
	int array_of_errcodes[]),
       (n, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
	intercomm, array_of_errcodes))

/* One-sided communication, and files. */
REFUSE(Win_create,
       (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, disp_unit, info, comm, win))
REFUSE(Win_allocate,
       (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
       (size, disp_unit, info, comm, baseptr, win))
REFUSE(Win_allocate_shared,
       (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
       (size, disp_unit, info, comm, baseptr, win))
REFUSE(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))
REFUSE(File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh),
       (comm, filename, amode, info, fh))

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
/* New in MPI 4. */
REFUSE(Isendrecv,
       (const void *sent, int n, MPI_Datatype t, int dest, int sendtag, void *received, int m,
	MPI_Datatype u, int from, int recvtag, MPI_Comm comm, MPI_Request *r),
       (sent, n, t, dest, sendtag, received, m, u, from, recvtag, comm, r))
REFUSE(Isendrecv_replace,
       (void *buf, int n, MPI_Datatype t, int dest, int sendtag, int from, int recvtag,
	MPI_Comm comm, MPI_Request *r),
       (buf, n, t, dest, sendtag, from, recvtag, comm, r))
REFUSE(Psend_init,
       (const void *buf, int partitions, MPI_Count n, MPI_Datatype t, int dest, int tag,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (buf, partitions, n, t, dest, tag, comm, info, r))
REFUSE(Precv_init,
       (void *buf, int partitions, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (buf, partitions, n, t, from, tag, comm, info, r))
REFUSE(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *fresh, MPI_Request *r),
       (comm, info, fresh, r))
REFUSE(Comm_create_from_group,
       (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler errhandler,
	MPI_Comm *fresh),
       (group, tag, info, errhandler, fresh))
REFUSE(Intercomm_create_from_groups,
       (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
	const char *tag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm),
       (local_group, local_leader, remote_group, remote_leader, tag, info, errhandler,
	newintercomm))
REFUSE(Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session),
       (info, errhandler, session))

REFUSE(Allgather_init,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Allgatherv_init,
       (const void *sent, int n, MPI_Datatype t, void *received, const int ms[], const int to[],
	MPI_Datatype u, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, info, r))
REFUSE(Allreduce_init,
       (const void *sent, void *received, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, comm, info, r))
REFUSE(Alltoall_init,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Alltoallv_init,
       (const void *sent, const int ns[], const int at[], MPI_Datatype t, void *received,
	const int ms[], const int to[], MPI_Datatype u, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, info, r))
REFUSE(Alltoallw_init,
       (const void *sent, const int ns[], const int at[], const MPI_Datatype ts[], void *received,
	const int ms[], const int to[], const MPI_Datatype us[], MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, info, r))
REFUSE(Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *r), (comm, info, r))
REFUSE(Bcast_init,
       (void *buffer, int n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (buffer, n, t, root, comm, info, r))
REFUSE(Exscan_init,
       (const void *sent, void *received, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, comm, info, r))
REFUSE(Gather_init,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u, int root,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, root, comm, info, r))
REFUSE(Gatherv_init,
       (const void *sent, int n, MPI_Datatype t, void *received, const int ms[], const int to[],
	MPI_Datatype u, int root, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, ms, to, u, root, comm, info, r))
REFUSE(Reduce_init,
       (const void *sent, void *received, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, root, comm, info, r))
REFUSE(Reduce_scatter_init,
       (const void *sent, void *received, const int ms[], MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, ms, t, op, comm, info, r))
REFUSE(Reduce_scatter_block_init,
       (const void *sent, void *received, int m, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, m, t, op, comm, info, r))
REFUSE(Scan_init,
       (const void *sent, void *received, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, received, n, t, op, comm, info, r))
REFUSE(Scatter_init,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u, int root,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, root, comm, info, r))
REFUSE(Scatterv_init,
       (const void *sent, const int ns[], const int to[], MPI_Datatype t, void *received, int m,
	MPI_Datatype u, int root, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, ns, to, t, received, m, u, root, comm, info, r))
REFUSE(Neighbor_allgather_init,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Neighbor_allgatherv_init,
       (const void *sent, int n, MPI_Datatype t, void *received, const int ms[], const int to[],
	MPI_Datatype u, MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, ms, to, u, comm, info, r))
REFUSE(Neighbor_alltoall_init,
       (const void *sent, int n, MPI_Datatype t, void *received, int m, MPI_Datatype u,
	MPI_Comm comm, MPI_Info info, MPI_Request *r),
       (sent, n, t, received, m, u, comm, info, r))
REFUSE(Neighbor_alltoallv_init,
       (const void *sent, const int ns[], const int at[], MPI_Datatype t, void *received,
	const int ms[], const int to[], MPI_Datatype u, MPI_Comm comm, MPI_Info info,
	MPI_Request *r),
       (sent, ns, at, t, received, ms, to, u, comm, info, r))
REFUSE(Neighbor_alltoallw_init,
       (const void *sent, const int ns[], const MPI_Aint at[], const MPI_Datatype ts[],
	void *received, const int ms[], const MPI_Aint to[], const MPI_Datatype us[], MPI_Comm comm,
	MPI_Info info, MPI_Request *r),
       (sent, ns, at, ts, received, ms, to, us, comm, info, r))
#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#ifdef MPICH_VERSION /* its header leaves out the standard's const */
#define REQUESTS MPI_Request rs[]
#else
#define REQUESTS const MPI_Request rs[]
#endif
/* New in MPI 4.1. */
REFUSE(Request_get_status_all, (int n, REQUESTS, int *flag, MPI_Status *status),
       (n, rs, flag, status))
REFUSE(Request_get_status_any, (int n, REQUESTS, int *index, int *flag, MPI_Status *status),
       (n, rs, index, flag, status))
REFUSE(Request_get_status_some, (int n, REQUESTS, int *m, int indices[], MPI_Status *status),
       (n, rs, m, indices, status))
#endif
/* The functions of Fortran do not go through those of C in every MPI, so a Fortran program would
 * not be logged. */
typedef MPI_Fint fint;

#define REFUSE_FORTRAN(name, Parameters, Arguments)                                                   \
	extern void p##name Parameters __attribute__((weak));                                         \
	EXPORT void name Parameters;                                                                  \
	EXPORT void name Parameters                                                                   \
	{                                                                                             \
		const char *dir = getenv("ELC_DIR");                                                  \
                                                                                                      \
		if (dir && *dir) {                                                                    \
			fprintf(stderr,                                                               \
				"elc: " #name                                                         \
				": Fortran programs are not covered by event-logging checkpoints\n"); \
			_exit(3);                                                                     \
		}                                                                                     \
		p##name Arguments;                                                                    \
	}

REFUSE_FORTRAN(mpi_init_, (fint * ierror), (ierror))
REFUSE_FORTRAN(mpi_init_f08_, (fint * ierror), (ierror))
REFUSE_FORTRAN(mpi_init_thread_, (fint * required, fint *provided, fint *ierror),
	       (required, provided, ierror))
REFUSE_FORTRAN(mpi_init_thread_f08_, (fint * required, fint *provided, fint *ierror),
	       (required, provided, ierror))

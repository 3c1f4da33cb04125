/* One-sided communication: calls and bytes are added up, so that a profile can say what it lacks.
 * Bytes are those of the target. */
#include "profile/preload/fortran.h"

static void count_one_sided(int target, int64_t count, MPI_Datatype type)
{
	if (recorder_counts() && target != MPI_PROC_NULL)
		recorder_one_sided(bytes_of(count, type));
}

/* At: the type of the origin's address; rest: what stands behind the target, and with which
 * names. */
#define ONE_SIDED(Name, Count, At, P, A)                                                           \
	EXPORT int MPI_##Name(At origin, Count origin_count, MPI_Datatype origin_type, int target, \
			      MPI_Aint disp, Count count, MPI_Datatype type OPEN P)                \
	{                                                                                          \
		const int rc = PMPI_##Name(origin, origin_count, origin_type, target, disp, count, \
					   type OPEN A);                                           \
                                                                                                   \
		if (rc == MPI_SUCCESS)                                                             \
			count_one_sided(target, count, type);                                      \
		return rc;                                                                         \
	}

#define GET_ACCUMULATE(Name, Count, P, A)                                                       \
	EXPORT int MPI_##Name(const void *origin, Count origin_count, MPI_Datatype origin_type, \
			      void *result, Count result_count, MPI_Datatype result_type,       \
			      int target, MPI_Aint disp, Count count, MPI_Datatype type,        \
			      MPI_Op op, MPI_Win win OPEN P)                                    \
	{                                                                                       \
		const int rc =                                                                  \
			PMPI_##Name(origin, origin_count, origin_type, result, result_count,    \
				    result_type, target, disp, count, type, op, win OPEN A);    \
                                                                                                \
		if (rc == MPI_SUCCESS)                                                          \
			count_one_sided(target, count, type);                                   \
		return rc;                                                                      \
	}

#define ALL(Put, Get, Accumulate, Rput, Rget, Raccumulate, Get_accumulate, Rget_accumulate, Count) \
	ONE_SIDED(Put, Count, const void *, LIST(, MPI_Win win), LIST(, win))                      \
	ONE_SIDED(Get, Count, void *, LIST(, MPI_Win win), LIST(, win))                            \
	ONE_SIDED(Accumulate, Count, const void *, LIST(, MPI_Op op, MPI_Win win),                 \
		  LIST(, op, win))                                                                 \
	ONE_SIDED(Rput, Count, const void *, LIST(, MPI_Win win, MPI_Request *request),            \
		  LIST(, win, request))                                                            \
	ONE_SIDED(Rget, Count, void *, LIST(, MPI_Win win, MPI_Request *request),                  \
		  LIST(, win, request))                                                            \
	ONE_SIDED(Raccumulate, Count, const void *,                                                \
		  LIST(, MPI_Op op, MPI_Win win, MPI_Request *request), LIST(, op, win, request))  \
	GET_ACCUMULATE(Get_accumulate, Count, LIST(), LIST())                                      \
	GET_ACCUMULATE(Rget_accumulate, Count, LIST(, MPI_Request *request), LIST(, request))

ALL(Put, Get, Accumulate, Rput, Rget, Raccumulate, Get_accumulate, Rget_accumulate, int)
#if MPI_VERSION >= 4
ALL(Put_c, Get_c, Accumulate_c, Rput_c, Rget_c, Raccumulate_c, Get_accumulate_c, Rget_accumulate_c,
    MPI_Count)
#endif

EXPORT int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target,
			    MPI_Aint disp, MPI_Op op, MPI_Win win)
{
	const int rc = PMPI_Fetch_and_op(origin, result, type, target, disp, op, win);

	if (rc == MPI_SUCCESS)
		count_one_sided(target, 1, type);
	return rc;
}

EXPORT int MPI_Compare_and_swap(const void *origin, const void *compare, void *result,
				MPI_Datatype type, int target, MPI_Aint disp, MPI_Win win)
{
	const int rc = PMPI_Compare_and_swap(origin, compare, result, type, target, disp, win);

	if (rc == MPI_SUCCESS)
		count_one_sided(target, 1, type);
	return rc;
}

#ifdef OPEN_MPI

#define ORIGIN void *origin, fint *origin_count, fint *origin_type
#define ORIGIN_ARGS origin, origin_count, origin_type
#define TARGET fint *target, MPI_Aint *disp, fint *count, fint *type
#define TARGET_ARGS target, disp, count, type
#define RESULT void *fetched, fint *fetched_count, fint *fetched_type
#define RESULT_ARGS fetched, fetched_count, fetched_type
#define COUNT_TARGET count_one_sided(*target, *count, C_TYPE(type))
#define COUNT_ONE count_one_sided(*target, 1, C_TYPE(type))

/* And the same with a request. */
#define FORTRAN_ONE_SIDED(name, P, A)                           \
	FORTRAN(name, LIST(OPEN P), LIST(OPEN A), COUNT_TARGET) \
	FORTRAN(r##name, LIST(OPEN P, fint *request), LIST(OPEN A, request), COUNT_TARGET)

FORTRAN_ONE_SIDED(put, LIST(ORIGIN, TARGET, fint *win), LIST(ORIGIN_ARGS, TARGET_ARGS, win))
FORTRAN_ONE_SIDED(get, LIST(ORIGIN, TARGET, fint *win), LIST(ORIGIN_ARGS, TARGET_ARGS, win))
FORTRAN_ONE_SIDED(accumulate, LIST(ORIGIN, TARGET, fint *op, fint *win),
		  LIST(ORIGIN_ARGS, TARGET_ARGS, op, win))
FORTRAN_ONE_SIDED(get_accumulate, LIST(ORIGIN, RESULT, TARGET, fint *op, fint *win),
		  LIST(ORIGIN_ARGS, RESULT_ARGS, TARGET_ARGS, op, win))
FORTRAN(fetch_and_op,
	LIST(void *origin, void *fetched, fint *type, fint *target, MPI_Aint *disp, fint *op,
	     fint *win),
	LIST(origin, fetched, type, target, disp, op, win), COUNT_ONE)
FORTRAN(compare_and_swap,
	LIST(void *origin, void *compare, void *fetched, fint *type, fint *target, MPI_Aint *disp,
	     fint *win),
	LIST(origin, compare, fetched, type, target, disp, win), COUNT_ONE)

#endif

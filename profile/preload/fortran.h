/* profile/preload/fortran.h - the bindings for Fortran of Open MPI, which call the functions of C
 * by their names with PMPI, so that those that we define are not reached. Other MPIs call the
 * functions of C as a program does.
 *
 * A function has a name for mpif.h and the module mpi, and another one for mpi_f08; the parameters
 * are the same addresses, but in mpi_f08 ierror may be missing (NULL). */
#ifndef PROFILE_PRELOAD_FORTRAN_H
#define PROFILE_PRELOAD_FORTRAN_H

#include "profile/preload/preload.h"

typedef MPI_Fint fint;

#define C_COMM(comm) PMPI_Comm_f2c(*(comm))
#define C_TYPE(type) PMPI_Type_f2c(*(type))
#define C_REQUEST(request) PMPI_Request_f2c(*(request))

/* The function of that name that follows in the order of libraries, into *real, if that is NULL:
 * Open MPI 5 has misspelt the name with pmpi of MPI_Ineighbor_alltoallv in mpi_f08. */
void fortran_next(void *real, const char *name);

/* Define a function under both names. P: its parameters; A: what the real one is called with,
 * before ierror; counted: what is done if it succeeds. The real one is not there in a program that
 * is not Fortran, and then this is never called. */
#define FORTRAN_AS(name, suffix, P, A, counted)                                      \
	extern void pmpi_##name##suffix(OPEN P, fint *ierror) __attribute__((weak)); \
	EXPORT void mpi_##name##suffix(OPEN P, fint *ierror);                        \
	EXPORT void mpi_##name##suffix(OPEN P, fint *ierror)                         \
	{                                                                            \
		void (*real)(OPEN P, fint *) = pmpi_##name##suffix;                  \
		fint result;                                                         \
                                                                                     \
		fortran_next(&real, "mpi_" #name #suffix);                           \
		recorder_inside++;                                                   \
		real(OPEN A, &result);                                               \
		recorder_inside--;                                                   \
		if (result == MPI_SUCCESS) {                                         \
			counted;                                                     \
		}                                                                    \
		if (ierror)                                                          \
			*ierror = result;                                            \
	}

#define FORTRAN(name, P, A, counted)       \
	FORTRAN_AS(name, _, P, A, counted) \
	FORTRAN_AS(name, _f08_, P, A, counted)

/* A list that is one argument of a macro, and its elements. */
#define LIST(...) (__VA_ARGS__)
#define OPEN(...) __VA_ARGS__

#endif

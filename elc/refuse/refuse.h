/* A function of MPI that is refused while checkpoints are on. */
#ifndef ELC_REFUSE_REFUSE_H
#define ELC_REFUSE_REFUSE_H

#include "elc/mpi/state.h"

#define REFUSE(Name, Parameters, Arguments)                                                                           \
	EXPORT int MPI_##Name Parameters                                                                              \
	{                                                                                                             \
		if (elc.life != ELC_OFF)                                                                              \
			elc_fatal(                                                                                    \
				"MPI_" #Name                                                                          \
				" is not covered by event-logging checkpoints (docs/event-logging.md says what is)"); \
		return PMPI_##Name Arguments;                                                                         \
	}

#endif

#include "ft/recovery/membership.h"

#include "base/status.h"

#include <mpi-ext.h>

bool membership_fence(MPI_Comm comm, bool ok)
{
	int flag = ok;

	return MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag;
}

/* A process that a repair started joins those that started it; see spawn_missing(). */
static int join(struct membership *members, MPI_Comm parents)
{
	bool ok;

	MPI_Comm_set_errhandler(parents, MPI_ERRORS_RETURN);
	members->spawned = true;
	if (MPI_Intercomm_merge(parents, 1, &members->world) != MPI_SUCCESS)
		return RB_LOST;
	ok = MPI_Comm_set_errhandler(members->world, MPI_ERRORS_RETURN) == MPI_SUCCESS;
	return membership_fence(members->world, ok) ? RB_OK : RB_LOST;
}

int membership_form(struct membership *members, const struct ft_config *cfg)
{
	MPI_Comm parents;

	members->cfg = cfg;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		return join(members, parents);
	if (MPI_Comm_dup(MPI_COMM_WORLD, &members->world) != MPI_SUCCESS)
		return RB_EMPI;
	MPI_Comm_set_errhandler(members->world, MPI_ERRORS_RETURN);
	return RB_OK;
}

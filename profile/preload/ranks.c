#include "profile/preload/ranks.h"

#include "profile/preload/recorder.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

static int keyval = MPI_KEYVAL_INVALID;
static atomic_uint freed; /* how many communicators: a handle may then mean another one */

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
	struct ranks *r = value;

	(void)comm, (void)key, (void)extra;
	atomic_fetch_add(&freed, 1);
	free(r->world);
	free(r);
	return MPI_SUCCESS;
}

void ranks_begin(void)
{
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
}

/* Translate ranks; NULL in r->world means that they are the same. false: out of memory, or MPI
 * fails. */
static bool translate(struct ranks *r, MPI_Group here, MPI_Group all)
{
	const size_t n = (size_t)r->remote;
	int *own = malloc(n * sizeof *own), same = 1, rc;

	r->world = malloc(n * sizeof *r->world);
	if (!own || !r->world) {
		free(own);
		return false;
	}
	for (int i = 0; i < r->remote; i++)
		own[i] = i;
	rc = PMPI_Group_translate_ranks(here, r->remote, own, all, r->world);
	for (int i = 0; i < r->remote; i++) {
		same = same && r->world[i] == i;
		if (r->world[i] == MPI_UNDEFINED)
			r->world[i] = -1;
	}
	free(own);
	if (same) {
		free(r->world);
		r->world = NULL;
	}
	return rc == MPI_SUCCESS;
}

static bool find(struct ranks *r, MPI_Comm comm)
{
	MPI_Group here, all;
	bool found;

	PMPI_Comm_rank(comm, &r->rank);
	PMPI_Comm_size(comm, &r->size);
	PMPI_Comm_test_inter(comm, &r->inter);
	r->remote = r->size;
	if (r->inter)
		PMPI_Comm_remote_size(comm, &r->remote);
	if (r->inter ? PMPI_Comm_remote_group(comm, &here) : PMPI_Comm_group(comm, &here))
		return false;
	found = PMPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS && translate(r, here, all);
	PMPI_Group_free(&here);
	PMPI_Group_free(&all);
	return found;
}

/* Two threads may do this at the same time: then the attribute is set twice, and the first value is
 * freed. So only one does. */
static struct ranks *learn(MPI_Comm comm)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	struct ranks *r = NULL;
	int known = 0;

	pthread_mutex_lock(&one);
	PMPI_Comm_get_attr(comm, keyval, &r, &known);
	if (!known) {
		r = calloc(1, sizeof *r);
		if (r && (!find(r, comm) || PMPI_Comm_set_attr(comm, keyval, r) != MPI_SUCCESS)) {
			free(r->world);
			free(r);
			r = NULL;
		}
	}
	pthread_mutex_unlock(&one);
	return r;
}

const struct ranks *ranks_of(MPI_Comm comm)
{
	/* Most calls are on the communicator of the call before. */
	static __thread struct {
		MPI_Comm comm;
		unsigned freed;
		const struct ranks *ranks;
	} last __attribute__((tls_model("initial-exec")));
	const unsigned now = atomic_load_explicit(&freed, memory_order_acquire);
	struct ranks *r = NULL;
	int known = 0;

	if (last.ranks && last.comm == comm && last.freed == now)
		return last.ranks;
	recorder_inside++;
	PMPI_Comm_get_attr(comm, keyval, &r, &known);
	if (!known)
		r = learn(comm);
	recorder_inside--;
	last.comm = comm;
	last.freed = now;
	last.ranks = r;
	if (!r)
		recorder.lost = true;
	return r;
}

int64_t bytes_of(int64_t count, MPI_Datatype type)
{
	int size;

	PMPI_Type_size(type, &size);
#if MPI_VERSION >= 3
	if (size == MPI_UNDEFINED) {
		MPI_Count large;

		PMPI_Type_size_x(type, &large);
		return count * (int64_t)large;
	}
#endif
	return count * size;
}

void count_send(int dest, int64_t count, MPI_Datatype type, MPI_Comm comm)
{
	const struct ranks *r;

	if (!recorder_counts() || dest == MPI_PROC_NULL)
		return;
	r = ranks_of(comm);
	if (r && dest >= 0 && dest < r->remote)
		recorder_message(r->world ? r->world[dest] : dest, bytes_of(count, type));
}

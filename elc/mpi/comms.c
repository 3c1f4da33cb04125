/* Communicators: who their ranks are, and numbers by which envelopes name them. */
#include "elc/mpi/state.h"

#include "elc/core/crc.h"

#include <stdlib.h>

static int keyval = MPI_KEYVAL_INVALID;
static struct elc_comm *all;
static uint32_t next_id;
static struct elc_comm *newest; /* that was looked for; NULL: none */

struct elc_comm *elc_comms_all(void)
{
	return all;
}

static void release(struct elc_comm *c)
{
	struct elc_comm **at = &all;

	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	if (newest == c)
		newest = NULL;
	free(c->world);
	free(c->here);
	free(c);
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)extra;
	release(value);
	return MPI_SUCCESS;
}

static void translate(struct elc_comm *c)
{
	MPI_Group here, world;
	int *own = malloc((size_t)c->size * sizeof *own);

	c->world = malloc((size_t)c->size * sizeof *c->world);
	c->here = malloc((size_t)elc.np * sizeof *c->here);
	if (!own || !c->world || !c->here)
		elc_check(-1);
	for (int i = 0; i < c->size; i++)
		own[i] = i;
	PMPI_Comm_group(c->comm, &here);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_translate_ranks(here, c->size, own, world, c->world);
	PMPI_Group_free(&here);
	PMPI_Group_free(&world);
	for (int i = 0; i < elc.np; i++)
		c->here[i] = -1;
	for (int i = 0; i < c->size; i++)
		c->here[c->world[i]] = i;
	free(own);
}

static void enter(MPI_Comm comm, uint32_t id)
{
	struct elc_comm *c = calloc(1, sizeof *c);

	if (!c)
		elc_check(-1);
	c->comm = comm;
	c->id = id;
	PMPI_Comm_rank(comm, &c->rank);
	PMPI_Comm_size(comm, &c->size);
	translate(c);
	c->sum = elc_crc(0, &c->id, sizeof c->id);
	c->sum = elc_crc(c->sum, &c->rank, sizeof c->rank);
	c->sum = elc_crc(c->sum, c->world, (size_t)c->size * sizeof *c->world);
	c->next = all;
	all = c;
	if (PMPI_Comm_set_attr(comm, keyval, c) != MPI_SUCCESS)
		elc_fatal("MPI_Comm_set_attr fails on a communicator");
}

/* All processes of the communicator call this. Its number is larger than all that any of them has
 * used, so no two of them know different communicators by one number. */
static void add(MPI_Comm comm)
{
	uint32_t id;

	PMPI_Allreduce(&next_id, &id, 1, MPI_UINT32_T, MPI_MAX, comm);
	next_id = id + 1;
	enter(comm, id);
}

void elc_comms_count(void)
{
	for (struct elc_comm *c = all; c; c = c->next) {
		c->collectives = elc_process_communicator(&elc.process, c->id, c->world, c->size);
		if (!c->collectives)
			elc_check(-1);
	}
}

void elc_comms_begin(void)
{
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
	add(MPI_COMM_WORLD);
	add(MPI_COMM_SELF);
}

struct elc_comm *elc_comm_find(MPI_Comm comm)
{
	struct elc_comm *c = NULL;
	int known = 0;

	if (newest && newest->comm == comm)
		return newest;
	if (comm != MPI_COMM_NULL)
		PMPI_Comm_get_attr(comm, keyval, &c, &known);
	if (known)
		newest = c;
	return known ? c : NULL;
}

struct elc_comm *elc_comm_of(MPI_Comm comm, const char *function)
{
	struct elc_comm *c = elc_comm_find(comm);

	if (!c)
		elc_fatal("%s: this communicator was made by a function that event-logging "
			  "checkpoints do not cover (docs/event-logging.md says which are)",
			  function);
	return c;
}

/* Independent of the order of the list. */
uint32_t elc_comms_sum(void)
{
	uint32_t sum = 0;

	for (const struct elc_comm *c = all; c; c = c->next)
		sum += c->sum;
	return sum;
}

static void may_create(const char *function)
{
	if (elc.life == ELC_ON)
		elc_fatal("%s after elc_restarted(): a restarted program could not make this "
			  "communicator again; make it before that call",
			  function);
}

static int created(int rc, MPI_Comm *fresh)
{
	if (elc.life != ELC_OFF && rc == MPI_SUCCESS && *fresh != MPI_COMM_NULL)
		add(*fresh);
	return rc;
}

#define CREATE(Name, Parameters, Arguments)                   \
	EXPORT int MPI_##Name Parameters                      \
	{                                                     \
		may_create("MPI_" #Name);                     \
		return created(PMPI_##Name Arguments, fresh); \
	}

CREATE(Comm_dup, (MPI_Comm comm, MPI_Comm *fresh), (comm, fresh))
CREATE(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *fresh), (comm, info, fresh))
CREATE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *fresh), (comm, color, key, fresh))
CREATE(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *fresh),
       (comm, type, key, info, fresh))
CREATE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *fresh), (comm, group, fresh))
CREATE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *fresh),
       (comm, group, tag, fresh))
CREATE(Cart_create,
       (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *fresh),
       (comm, n, dims, periods, reorder, fresh))
CREATE(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *fresh), (comm, remain, fresh))

EXPORT int MPI_Comm_free(MPI_Comm *comm)
{
	struct elc_comm *c = elc.life == ELC_OFF ? NULL : elc_comm_find(*comm);

	if (c && elc_matches_use(c))
		elc_fatal("MPI_Comm_free: a matched probe has found a message of this communicator "
			  "that is not received; receive it before");
	if (c && elc_requests_receive(c))
		elc_fatal("MPI_Comm_free: a receive of this communicator is active; complete "
			  "it before");
	if (c && elc_requests_use(*comm))
		elc_fatal("MPI_Comm_free: this communicator still has persistent requests; free "
			  "them before");
	return PMPI_Comm_free(comm);
}

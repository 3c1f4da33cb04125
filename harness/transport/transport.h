/* harness/transport/transport.h - how the messages of a job travel: the components of Open MPI that
 * it may use (pml, btl, mtl, coll ...), other parameters of the MPI that somebody sets, and who
 * decided each of them.
 *
 * The installation says what it takes to survive a death (share/openmpi/amca-param-sets/ft-mpi),
 * but a file of the site, the environment and arguments of mpirun each replace such a list as a
 * whole. So the harness names each list itself: that of the installation, joined with what else was
 * asked for and with what Rollbench knows (docs/ulfm-notes.md). All its jobs use the same. */
#ifndef HARNESS_TRANSPORT_TRANSPORT_H
#define HARNESS_TRANSPORT_TRANSPORT_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* {"pml": {"value": "ob1", "from": ["ft-mpi", ...], "list": true}, ...}. list: it is a list of
 * components that jobs are given on their command line; others have what they have. unfit: a job
 * that is to survive a death cannot use it, for this reason. It is made once, borrowed. */
const json_t *transport_plan(void);
/* The same from given parts: those of the plan, and the environment. New reference. */
json_t *transport_plan_of(const json_t *settings, const char *arguments);
/* RB_EINVAL: a part of the plan is unfit; the text has the remedy. */
int transport_check(const json_t *plan, struct rb_error *err);
/* What was asked for in vain, since it is of a file: "pml=ucx of file F is replaced by ob1", ...;
 * "": nothing. */
enum { TRANSPORT_TEXT = 1024 };
void transport_replaced(const json_t *plan, char out[TRANSPORT_TEXT]);

/* The values, without addresses of networks and without what says only where a job runs
 * (docs/record.md): a part of the key of runs. New reference. */
json_t *transport_shape(const json_t *plan);
/* What of it a process has in force. settings: its parameters. As `host.transport` in
 * docs/record.md. New reference. */
json_t *transport_record(const json_t *plan, const json_t *settings);
/* Is what a process has in force fit for failures? RB_OK, or RB_EINVAL with the remedy. */
int transport_judge(const json_t *settings, struct rb_error *err);

/* Does the value of this parameter, or argument of mpirun, describe where a job runs: names of
 * hosts, networks, or how daemons are started? */
enum transport_value { VALUE_HOW, VALUE_WHERE, VALUE_HOSTS, VALUE_NETWORKS };
enum transport_value transport_value_of(const char *name);
/* Add to out, which has room for `size` characters, the slots of each host, or the name of each
 * network without its address. */
void transport_add_shape(char *out, size_t size, const char *list, enum transport_value value);
/* Is the word an option of mpirun, behind which the name of a parameter of the MPI and its value
 * follow? */
bool transport_is_option(const char *word);

#endif

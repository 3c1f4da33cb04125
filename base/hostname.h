/* base/hostname.h - names of hosts, which come from host files, batch systems, the MPI and the
 * hosts themselves, some with a domain and some without. */
#ifndef BASE_HOSTNAME_H
#define BASE_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>

/* The same host? Case does not matter, and one of the names can lack its domain. Addresses are
 * compared as a whole. */
bool hostname_same(const char *a, const char *b);

/* The same name without their domains? The MPI takes hosts of such names for one. */
bool hostname_namesakes(const char *a, const char *b);

/* Characters of a name without its domain; of an address all. */
size_t hostname_short(const char *name);

#endif

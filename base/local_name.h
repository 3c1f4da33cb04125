/* base/local_name.h - names in the abstract namespace of local sockets.
 *
 * The kernel frees such a name when the owner of the socket dies, for whatever reason. A name is
 * visible within one network namespace. */
#ifndef BASE_LOCAL_NAME_H
#define BASE_LOCAL_NAME_H

#include <sys/socket.h>
#include <sys/un.h>

/* Format the name, cut to the length of an address. Returns the length of the address. */
__attribute__((format(printf, 2, 3))) socklen_t local_name(struct sockaddr_un *address,
							   const char *format, ...);

#endif

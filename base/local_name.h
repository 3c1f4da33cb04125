/* base/local_name.h - names in the abstract namespace of local sockets.
 *
 * The kernel frees such a name when the socket's owner dies, however that happens; it reaches as far as a
 * network namespace does. */
#ifndef BASE_LOCAL_NAME_H
#define BASE_LOCAL_NAME_H

#include <sys/socket.h>
#include <sys/un.h>

/* As the format says, cut where an address has no more room. Returns the address's length. */
__attribute__((format(printf, 2, 3)))
socklen_t local_name(struct sockaddr_un *address, const char *format, ...);

#endif

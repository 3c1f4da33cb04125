/* Does a process find its connection with the runtime (ft/recovery/notices.h)? It is compiled with
 * that file. */
#include "ft/recovery/notices.h"

#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

extern char **environ;

/* Where PMIx says that its daemon listens: "PMIX_SERVER_URI41=name.rank;tcp4://192.0.2.1:4711". */
static int port_of_runtime(void)
{
	for (char **v = environ; *v; v++)
		if (strncmp(*v, "PMIX_SERVER_URI", 15) == 0 && strchr(*v, ':'))
			return atoi(strrchr(*v, ':') + 1);
	return -1;
}

int main(int argc, char **argv)
{
	struct notices n;
	int rank, found = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	notices_find(&n);
	for (int i = 0; i < n.count; i++) {
		struct sockaddr_in6 peer; /* the port has the same place in both families */
		socklen_t length = sizeof peer;

		getpeername(n.fd[i], (struct sockaddr *)&peer, &length);
		found += ntohs(peer.sin6_port) == port_of_runtime();
	}
	printf("rank %d: %s\n", rank, found == 1 ? "found" : "not found");
	MPI_Finalize();
	return 0;
}

#include "base/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void streams_open(void)
{
	for (int fd = 0; fd <= 2; fd++)
		/* the lowest that is free is this one */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

bool streams_terminal(int fd)
{
	const char *term = getenv("TERM");

	return term && term[0] && strcmp(term, "dumb") != 0 && isatty(fd);
}

int streams_end(int status)
{
	const int failed = ferror(stdout);

	errno = 0;
	if ((fflush(stdout) == 0 && !failed) || errno == EPIPE)
		return status;
	fprintf(stderr, "rollbench: standard output cannot be written%s%s; output is lost\n",
		errno ? ": " : "", errno ? strerror(errno) : "");
	return status ? status : STREAMS_LOST;
}

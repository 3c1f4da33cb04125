/* A library to be preloaded: each immediate acknowledgement that a process asks for adds a line
 * with its pid to the file $ACKNOWLEDGEMENTS. */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void add_line(void)
{
	int fd = open(getenv("ACKNOWLEDGEMENTS"), O_WRONLY | O_APPEND | O_CREAT, 0666);
	char line[16];
	int length = snprintf(line, sizeof line, "%d\n", (int)getpid());

	if (fd < 0 || write(fd, line, (size_t)length) != length)
		abort();
	close(fd);
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	if (level == IPPROTO_TCP && option == TCP_QUICKACK)
		add_line();
	return (int)syscall(SYS_setsockopt, fd, level, option, value, length);
}

/* TCP connections are found, and an acknowledgement that the kernel would delay is sent at once. */
#include "ft/recovery/notices.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct line {
	int runtime, process; /* the two ends */
};

/* false: the host has no such addresses. */
static bool connect_line(struct line *l, int family)
{
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr *address =
		family == AF_INET ? (struct sockaddr *)&four : (struct sockaddr *)&six;
	socklen_t length = family == AF_INET ? sizeof four : sizeof six;
	int listening = socket(family, SOCK_STREAM, 0);

	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listening < 0 || bind(listening, address, length) != 0) {
		close(listening);
		return false;
	}
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, address, &length), 0);
	l->process = socket(family, SOCK_STREAM, 0);
	assert_int_equal(connect(l->process, address, length), 0);
	l->runtime = accept(listening, NULL, NULL);
	assert_true(l->runtime >= 0);
	close(listening);
	return true;
}

static void disconnect(struct line *l)
{
	close(l->process);
	close(l->runtime);
}

static bool has(const struct notices *n, int fd)
{
	for (int i = 0; i < n->count; i++)
		if (n->fd[i] == fd)
			return true;
	return false;
}

/* Both ends are of this process, so both are found. */
static void connections_are_found(void **state)
{
	int family[] = { AF_INET, AF_INET6 }, local[2];
	struct notices n, before; /* before: those that this process was started with */

	(void)state;
	notices_find(&before);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, local), 0);
	for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
		struct line l;

		if (!connect_line(&l, family[i]))
			continue; /* no IPv6 on this host */
		notices_find(&n);
		assert_int_equal(n.count, before.count + 2);
		assert_true(has(&n, l.process) && has(&n, l.runtime));
		disconnect(&l);
	}
	notices_find(&n);
	assert_int_equal(n.count, before.count);
	notices_acknowledge(&n);
	close(local[0]);
	close(local[1]);
}

static void there_may_be_more_than_fit(void **state)
{
	enum { LINES = NOTICES_MAX };
	struct line l[LINES];
	struct notices n;

	(void)state;
	for (int i = 0; i < LINES; i++)
		assert_true(connect_line(&l[i], AF_INET));
	notices_find(&n);
	assert_int_equal(n.count, NOTICES_MAX);
	for (int i = 0; i < LINES; i++)
		disconnect(&l[i]);
}

static void say(int from, int to)
{
	char byte = 0;

	assert_int_equal(send(from, &byte, 1, 0), 1);
	assert_int_equal(recv(to, &byte, 1, 0), 1);
}

static int unacknowledged(int fd)
{
	struct tcp_info info;
	socklen_t length = sizeof info;

	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length), 0);
	return (int)info.tcpi_unacked;
}

/* The kernel delays the acknowledgements of a process that has just sent something. No time is
 * measured, but whether the other end has the acknowledgement. */
static void a_delayed_acknowledgement_leaves_at_once(void **state)
{
	enum { ROUNDS = 20, TRIES = 2000 };
	int delayed = 0, left = 0;
	struct notices n;
	struct line l;

	(void)state;
	assert_true(connect_line(&l, AF_INET));
	n = (struct notices){ .count = 1, .fd = { l.process } };
	for (int i = 0; i < TRIES && delayed < ROUNDS; i++) {
		for (int k = 0; k < 4; k++) {
			say(l.runtime, l.process);
			say(l.process, l.runtime);
		}
		say(l.runtime, l.process);
		if (unacknowledged(l.runtime) == 0)
			continue; /* the machine was slow, or the connection is new */
		delayed++;
		notices_acknowledge(&n);
		left += unacknowledged(l.runtime) == 0;
	}
	disconnect(&l);
	if (delayed < ROUNDS) {
		print_message("this kernel delays no acknowledgement, or does not tell\n");
		skip();
	}
	assert_true(left > ROUNDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_are_found),
		cmocka_unit_test(there_may_be_more_than_fit),
		cmocka_unit_test(a_delayed_acknowledgement_leaves_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

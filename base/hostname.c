#include "base/hostname.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

static bool is_address(const char *name)
{
	struct in6_addr there; /* large enough for both */

	return inet_pton(AF_INET, name, &there) == 1 || inet_pton(AF_INET6, name, &there) == 1;
}

size_t hostname_short(const char *name)
{
	return is_address(name) ? strlen(name) : strcspn(name, ".");
}

bool hostname_same(const char *a, const char *b)
{
	const size_t length = hostname_short(a), other = hostname_short(b);

	if (a[length] && b[other])
		return strcasecmp(a, b) == 0;
	return length == other && strncasecmp(a, b, length) == 0;
}

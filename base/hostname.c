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

bool hostname_namesakes(const char *a, const char *b)
{
	const size_t length = hostname_short(a);

	return length == hostname_short(b) && strncasecmp(a, b, length) == 0;
}

bool hostname_same(const char *a, const char *b)
{
	const bool whole = a[hostname_short(a)] && b[hostname_short(b)];

	return hostname_namesakes(a, b) && (!whole || strcasecmp(a, b) == 0);
}

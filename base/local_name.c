#include "base/local_name.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

socklen_t local_name(struct sockaddr_un *address, const char *format, ...)
{
	const int room = (int)sizeof address->sun_path - 1; /* an abstract name begins with a NUL */
	va_list arguments;
	int length;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	va_start(arguments, format);
	length = vsnprintf(address->sun_path + 1, (size_t)room, format, arguments);
	va_end(arguments);
	if (length >= room)
		length = room - 1;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

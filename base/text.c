#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

bool text_integer(const char *text, int64_t least, int64_t most, int64_t *out)
{
	char *end;
	int64_t n;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno != 0 || *end != '\0' || n < least || n > most)
		return false;
	*out = n;
	return true;
}

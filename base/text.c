#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* strtoll alone would accept blanks and a sign. */
bool text_digits(const char **text, int64_t *out)
{
	char *end;
	int64_t n;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	n = strtoll(*text, &end, 10);
	*text = end;
	if (errno != 0)
		return false;
	*out = n;
	return true;
}

bool text_integer(const char *text, int64_t least, int64_t most, int64_t *out)
{
	int64_t n;

	if (!text || !text_digits(&text, &n) || *text != '\0' || n < least || n > most)
		return false;
	*out = n;
	return true;
}

bool text_ends_with(const char *text, const char *ending)
{
	const size_t length = strlen(text), size = strlen(ending);

	return length > size && strcmp(text + length - size, ending) == 0;
}

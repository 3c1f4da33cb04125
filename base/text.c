#include "base/text.h"

#include <errno.h>
#include <math.h>
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

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* Of the number at the beginning, 0 if there is none. */
static size_t real_length(const char *text)
{
	size_t n = digits(text), exponent;
	const size_t whole = n;

	if (text[n] == '.')
		n += 1 + digits(text + n + 1);
	if (n == whole ? whole == 0 : n == 1)
		return 0;
	if (text[n] != 'e' && text[n] != 'E')
		return n;
	exponent = n + 1 + (text[n + 1] == '+' || text[n + 1] == '-');
	return digits(text + exponent) > 0 ? exponent + digits(text + exponent) : n;
}

bool text_real(const char **text, double *out)
{
	const size_t length = real_length(*text);
	char *end;
	double value;

	if (length == 0)
		return false;
	value = strtod(*text, &end);
	if (end != *text + length || !isfinite(value))
		return false;
	*text = end;
	*out = value;
	return true;
}

/* May a number begin behind the first `length` characters, and not the rest of a name? */
static bool is_begin(const char *text, size_t length)
{
	return length == 0 || strchr(":+,", text[length - 1]) ||
	       (text[length - 1] == 'x' && length > 1 && digits(text + length - 2) == 1);
}

void text_normal(char *text)
{
	size_t to = 0;

	for (size_t at = 0; text[at];) {
		size_t n = is_begin(text, to) ? digits(text + at) : 0;

		/* not of a fraction, which would be another text for the same number, too */
		while (n > 1 && text[at] == '0' && text[at + n] != '.') {
			at++;
			n--;
		}
		do
			text[to++] = text[at++];
		while (n-- > 1);
	}
	text[to] = '\0';
}

bool text_names_folder(const char *text)
{
	return text[0] && text[0] != '.' && !strchr(text, '/');
}

bool text_line(FILE *from, char *line, size_t size)
{
	size_t used = 0;
	int c = getc(from);
	const bool there = c != EOF;

	for (; c != EOF && c != '\n'; c = getc(from))
		if (c != '\0' && used < size - 1)
			line[used++] = (char)c;
	line[used] = '\0';
	return there;
}

void text_skip_mark(FILE *from)
{
	static const char mark[] = "\xef\xbb\xbf";
	int n = 0, c = 0;

	while (n < 3 && (c = getc(from)) == (unsigned char)mark[n])
		n++;
	if (n < 3 && c != EOF)
		ungetc(c, from);
	while (n < 3 && n > 0) /* glibc takes back several */
		ungetc((unsigned char)mark[--n], from);
}

void text_replace(char *text, char from, char to)
{
	for (char *c = strchr(text, from); c; c = strchr(c, from))
		*c = to;
}

bool text_ends_with(const char *text, const char *ending)
{
	const size_t length = strlen(text), size = strlen(ending);

	return length > size && strcmp(text + length - size, ending) == 0;
}

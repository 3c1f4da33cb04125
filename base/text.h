/* base/text.h - numbers from text, and endings of text. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The whole text must be a decimal number from least to most, without blanks or a sign. NULL is not
 * a number. *out is set only if the function returns true. */
bool text_integer(const char *text, int64_t least, int64_t most, int64_t *out);

/* Read the decimal number at the beginning of *text and move *text behind its digits. false: there
 * is none, or it is too large. *out is set only if the function returns true. */
bool text_digits(const char **text, int64_t *out);

/* Does the text end so, with something before the ending? */
bool text_ends_with(const char *text, const char *ending);

#endif

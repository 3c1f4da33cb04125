/* base/text.h - numbers from text, and endings of text. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The whole text must be a decimal number from least to most, without blanks or a sign. NULL is not
 * a number. *out is set only if the function returns true. */
bool text_integer(const char *text, int64_t least, int64_t most, int64_t *out);

/* Read the decimal number at the beginning of *text and move *text behind its digits. false: there
 * is none, or it is too large. *out is set only if the function returns true. */
bool text_digits(const char **text, int64_t *out);

/* Read the decimal number at the beginning of *text, perhaps with a fraction and an exponent, and
 * move *text behind it. false: there is none (nor with a sign, a blank, hexadecimal digits or as a
 * word), or it is too large. *out is set only if the function returns true. */
bool text_real(const char **text, double *out);

/* Numbers in a list, a range, a product or behind a colon without leading zeros: 064 -> 64, 02x04
 * -> 2x4, window:08 -> window:8; 0.05 stays. What means the same is the same text then. */
void text_normal(char *text);

/* Put another character in the place of each of these. */
void text_replace(char *text, char from, char to);

/* Can a folder below another one have this name? Not with a slash, nor with a dot at the beginning.
 */
bool text_names_folder(const char *text);

/* Read the next line of what programs print, without its end; what does not fit is left out. Bytes
 * 0 are left out, too: Open MPI prints one behind its messages. false: there is no line. */
bool text_line(FILE *from, char *line, size_t size);

/* Behind the byte order mark that a text file may begin with, as editors on Windows write it. The
 * file, a pipe too, has just been opened for reading. */
void text_skip_mark(FILE *from);

/* Does the text end so, with something before the ending? */
bool text_ends_with(const char *text, const char *ending);

#endif

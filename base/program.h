/* base/program.h - the program that is running. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stddef.h>

/* The absolute path of the program, with links resolved; "" if /proc cannot tell it. */
void program_path(char *out, size_t size);

#endif

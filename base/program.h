/* base/program.h - the program that is running. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stddef.h>

/* Its absolute path, links followed; "" if /proc can't tell. */
void program_path(char *out, size_t size);

#endif

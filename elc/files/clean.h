/* Removing lines that no restart needs. */
#ifndef ELC_FILES_CLEAN_H
#define ELC_FILES_CLEAN_H

#include "elc/files/file.h"

/* Remove all lines except from..to: first their commits, then their folders with the files that
 * this library writes there. Nothing else is touched, and commits that were refused stay. Returns
 * 0, or -1: then why says which file and why. */
int elc_clean(const char *dir, int64_t from, int64_t to, char why[ELC_TEXT]);

#endif

/* harness/store/verify.h - compare a results folder with its manifest, and its records with each
 * other. */
#ifndef HARNESS_STORE_VERIFY_H
#define HARNESS_STORE_VERIFY_H

#include "harness/store/store.h"

/* Print everything that is missing, changed or not in the manifest, and each comparison that does
 * not agree with the records that were compared. *wrong: how many of these there are. RB_OK; or
 * RB_EIO, RB_EINVAL: the folder cannot be read, or has no manifest. */
int store_verify(const char *dir, size_t *wrong, struct rb_error *err);

/* store_open_to_read() of a folder that must have a manifest. */
int store_open_listed(struct store *s, const char *dir, struct rb_error *err);

#endif

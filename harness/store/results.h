/* harness/store/results.h - the records at a path: the results of a sweep, a folder of records, or
 * one record. */
#ifndef HARNESS_STORE_RESULTS_H
#define HARNESS_STORE_RESULTS_H

#include "base/error.h"

#include <jansson.h>

/* One record, which belongs to the caller. NULL: there is none, and `why` says why. RB_OK, or what
 * results_each() is to return at once. */
typedef int results_visit(void *ctx, const char *name, json_t *record, const char *why,
			  struct rb_error *err);

/* All of them: the runs of a sweep in its order and by their ids, the files *.json of a folder by
 * name, or the file. A record that is not the one that was written, according to the manifest, does
 * not count. option: what the path was given to, for messages. RB_OK; RB_EINVAL or RB_EIO: the path
 * is not there, cannot be read, or has no records; or what visit returned. */
int results_each(const char *option, const char *path, results_visit *visit, void *ctx,
		 struct rb_error *err);

#endif

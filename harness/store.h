/* harness/store.h - the results folder of a sweep: one record per run, and a lock.
 *
 * A record is found again by content: its key covers the run's description and the program that
 * made it, so a changed parameter or binary is a new run. */
#ifndef HARNESS_STORE_H
#define HARNESS_STORE_H

#include "harness/record.h"
#include "harness/sweep_plan.h"

struct store {
	char dir[SPEC_PATH];
	int lock;
	char program[40]; /* hash of the running executable */
};

/* Create the folder if need be and lock it. RB_OK, or RB_EIO: unwritable, or in use. */
int store_open(struct store *s, const char *dir, struct rb_error *err);
void store_close(struct store *s);

/* sweep.json: which records belong to the sweep, for the figures. */
int store_manifest(const struct store *s, const char *name, const struct sweep_plan *plan,
		   struct rb_error *err);
/* The record of a run if it is there and still the same run; NULL if not. New reference. */
json_t *store_find(const struct store *s, const struct sweep_run *run);
/* Adds "id" and "key", then writes atomically. */
int store_put(const struct store *s, const struct sweep_run *run, json_t *record,
	      struct rb_error *err);

#endif

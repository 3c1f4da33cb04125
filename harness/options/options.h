/* harness/options/options.h - options as data: a table has a row for each option, and reading an
 * option from a command line or a file, printing it and explaining it all use that row.
 *
 * A row describes a member of a struct, the same struct for all rows of a table. Columns from
 * `commands` on are for the options of a run (harness/options/spec_options.c); other tables leave
 * them 0. */
#ifndef HARNESS_OPTIONS_OPTIONS_H
#define HARNESS_OPTIONS_OPTIONS_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,    /* bool, becomes true; on the command line it takes no value */
	OPTION_STRING,  /* const char *: the text as it was given, which must outlive the struct */
	OPTION_TEXT,    /* char[most] */
	OPTION_INT,     /* int from `least` to `most` */
	OPTION_LONG,    /* int64_t or uint64_t, likewise */
	OPTION_WORD,    /* an enum, written as one of its words */
	OPTION_SECONDS, /* double, more than 0 */
	OPTION_AMOUNT,  /* double, 0 or more */
	OPTION_FACTOR,  /* double, more than 0, without a unit */
	/* double, seconds, written for instance as "10m" (harness/options/duration.h) */
	OPTION_TIME,
	OPTION_OWN, /* anything, by set() */
};

/* Commands that take an option of a run. */
enum option_commands {
	FOR_RUN = 1, /* run alone */
	/* run; explain and interval, which forecast or measure runs without random deaths */
	FOR_PLAN = 2,
	FOR_HOSTS = 4, /* resume and sweep, whose runs are described by a file */
	FOR_TORTURE = 8,
	FOR_PROFILE = 16,  /* profile, which asks a kernel for its messages */
	FOR_PROTOCOL = 32, /* run with --protocol */
};

/* What an option is in an experiment file (harness/experiment). */
enum option_shape {
	SHAPE_NONE, /* no key */
	SHAPE_KEY,
	SHAPE_INNER, /* a key that is an inner axis */
};

/* The part of a record that an option belongs to (harness/record/record.c). */
enum option_part {
	PART_NONE,
	PART_KERNEL,
	PART_RUN,
	PART_POWER,
	PART_CHECKPOINTS,
	PART_REPLACEMENT,
	PART_NODES,
	PART_CHANCE,
	PART_LIMIT,
	PART_UNUSUAL, /* there only if it is not the default */
};

struct option {
	/* without dashes; "": the argument that is no option; NULL ends a table */
	const char *name;
	/* what --help calls its value; NULL: it takes none, or it is a key of a file only */
	const char *value;
	const char *help; /* one line, however long; printed with the default behind it */
	enum option_type type;
	size_t at; /* offset of the member */
	int64_t least, most;
	/* names of the enum's values from 0 on, then NULL. Of a LONG: of least, least + 1 and so
	 * on; its other values are numbers from 0 on */
	const char *(*word)(int i);
	const char *standard; /* the default, as text; NULL: there is none, or it is not printed */
	/* is put before the value, or is the value of an option that takes none */
	const char *given;
	/* RB_OK or RB_EINVAL, with a message */
	int (*set)(void *base, const char *text, struct rb_error *err);
	bool required; /* in a file */

	unsigned commands;  /* enum option_commands */
	bool always;        /* in names and in command lines even if it has its default */
	bool of_kernel;     /* it is the kernel's: its keys are in the object "params" */
	const char *needs;  /* name of an option without which this one has no effect */
	const char *key;    /* in spec.json; NULL: it is not there */
	const char *record; /* in records, for instance "mtbf.seed"; NULL: as `key` */
	enum option_part part;
	enum option_shape shape;
	const char *tag; /* in the names of runs, in front of the value; NULL: it is not there */
};

/* The row of a name; NULL: the table has none. */
const struct option *option_find(const struct option *table, const char *name);
enum { OPTION_KEY = 64 };
/* What the option is called in an experiment file: its name with _ for -. */
void option_key(const struct option *o, char out[OPTION_KEY]);
/* The row that is a key of an experiment file; NULL: none is. */
const struct option *option_of_key(const struct option *table, const char *key);
bool option_is_inner(const struct option *table, const char *key);
/* Read a value. RB_OK, or RB_EINVAL with "--name text: expected ...". */
int option_set(const struct option *o, void *base, const char *text, struct rb_error *err);
/* The value as text that option_set() understands. */
void option_get(const struct option *o, const void *base, char *out, size_t size);
/* Is it what `standard` says? */
bool option_is_standard(const struct option *o, const void *base);
/* Is its default 0, which means that there is none, and which cannot be given as a value? */
bool option_is_none(const struct option *o);
/* New reference: a number if it is one without words, else text. */
json_t *option_json(const struct option *o, const void *base);
/* The reverse, into a struct that has its defaults; so a default is accepted even if it means none.
 * RB_OK or RB_EINVAL. */
int option_load(const struct option *o, void *base, const json_t *value, struct rb_error *err);
/* The words that it takes, as "none, sleep or dvfs". false: there are none. */
bool option_words(const struct option *o, const char *comma, const char *last, char *out,
		  size_t size);
/* Lines of --help: of rows for these commands, or of all if that is 0. */
void option_help(const struct option *table, unsigned commands);

#endif

/* profile/command/profile_main.h - `rollbench profile` and `rollbench partners`. */
#ifndef PROFILE_COMMAND_PROFILE_MAIN_H
#define PROFILE_COMMAND_PROFILE_MAIN_H

#include "base/error.h"

#include <jansson.h>

/* Returns the exit status. argv[0] is the command's name. */
int profile_main(int argc, char **argv);
int partners_main(int argc, char **argv);

/* What `rollbench partners WORDS --json` prints; no word is --help. *answer: new reference. RB_OK,
 * or a negative status. */
int partners_answer(int argc, char **argv, json_t **answer, struct rb_error *err);

#endif

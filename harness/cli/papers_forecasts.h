/* harness/cli/papers_forecasts.h - the forecasts that the items of the papers ask for. */
#ifndef HARNESS_CLI_PAPERS_FORECASTS_H
#define HARNESS_CLI_PAPERS_FORECASTS_H

#include "base/error.h"

/* Answer each question (questions_each()) of the YAML files of a folder, which is a command line of
 * `rollbench explain` or `partners`, and write the answers to RESULTS/forecasts.json: {"schema",
 * "rollbench", "answers": {the command line: what it prints with --json}}. RB_OK; RB_EINVAL: a
 * question has no answer, with its file and line; RB_EIO or RB_ENOMEM. */
int papers_forecasts(const char *folder, const char *results, struct rb_error *err);

#endif

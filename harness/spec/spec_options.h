/* harness/spec/spec_options.h - a run as command-line options: read by `run` and others, written by
 * `torture` so that a run can be repeated. */
#ifndef HARNESS_SPEC_SPEC_OPTIONS_H
#define HARNESS_SPEC_SPEC_OPTIONS_H

#include "harness/spec/options.h"
#include "harness/spec/spec.h"

enum { KILL_TEXT = 96, COMMAND_TEXT = 4096 };

/* A --help: what the command is for, the options of a run, the command's own, the kernels'. */
void spec_options_help(const char *usage, const char *own);

struct spec_options {
	struct run_spec *spec;
	char kill[INJECT_MAX_KILLS][KILL_TEXT]; /* understood last, since --np may come behind them */
	int kills;
};

/* argv[1] names the kernel: set the defaults, and let `o` go on behind it. RB_OK or RB_EINVAL. */
int spec_options_begin(struct spec_options *s, struct run_spec *spec, struct options *o,
		       struct rb_error *err);
/* Take one option that nobody else wants. RB_OK or RB_EINVAL. */
int spec_options_take(struct spec_options *s, struct options *o, struct rb_error *err);
/* --hostfile and --spare-hosts: *out is where they are kept. 1: it is another option. */
int spec_options_hosts(struct options *o, const struct hosts **out, struct rb_error *err);
int spec_options_end(struct spec_options *s, struct rb_error *err);

/* Takes one option; what the command does not know goes to spec_options_take(). */
typedef int spec_taker(struct spec_options *s, struct options *o, void *request,
		       struct rb_error *err);
/* A kernel and options, up to the end, which is left to the caller. 1: help was asked for. */
int spec_options_parse(struct spec_options *s, struct run_spec *spec, int argc, char **argv,
		       spec_taker *take, void *request, struct rb_error *err);

/* "./rollbench run cg --class S --np 8 ...", for a shell. */
void spec_command(const struct run_spec *spec, char out[COMMAND_TEXT]);

#endif

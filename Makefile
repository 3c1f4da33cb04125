# Rollbench. `make run-all` does the main job, `make test` tests; both do all their set-up.
#
# This file only finds a userland with a fault-tolerant MPI (docs/setup.md) and starts again
# inside it; the rules are in rules.mk, the user's switches in config.mk.

GOALS := $(or $(MAKECMDGOALS),all)

# These two need no userland.
ifeq ($(filter-out help clean,$(GOALS)),)
ROLLBENCH_ENV ?= none
endif

ifdef ROLLBENCH_ENV

include rules.mk

else

.PHONY: $(GOALS)
# All goals in one inner make; the first one carries them, the others wait for it.
$(firstword $(GOALS)):
	+@scripts/with-env $(MAKE) --no-print-directory $(GOALS)

ifneq ($(wordlist 2,99,$(GOALS)),)
$(wordlist 2,99,$(GOALS)): $(firstword $(GOALS)) ; @:
endif

endif

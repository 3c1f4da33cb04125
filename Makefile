# Rollbench. `make run-all` does the main job, `make test` tests; both do all their set-up.
#
# This file only finds a userland with a fault-tolerant MPI (docs/setup.md) and starts again
# inside it; the rules are in rules.mk, the user's switches in config.mk.

GOALS := $(or $(MAKECMDGOALS),all)
SOURCE := $(patsubst %/,%,$(dir $(realpath $(firstword $(MAKEFILE_LIST)))))

# These need no userland.
ifeq ($(filter-out help clean dist,$(GOALS)),)
ROLLBENCH_ENV ?= none
endif

AGAIN :=
# `make -f /path/Makefile`: the sources stay as they are, and build/ is made here.
ifneq ($(firstword $(MAKEFILE_LIST)),Makefile)
AGAIN = $(MAKE) --no-print-directory -C $(SOURCE) $(if $(filter command,$(origin BUILD)),BUILD=$(abspath $(BUILD)),BUILD_ROOT=$(CURDIR)/build)
else ifndef ROLLBENCH_ENV
# As many jobs as cores, if the user has not said how many.
AGAIN = scripts/with-env $(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
endif

ifeq ($(AGAIN),)

include rules.mk

else

.PHONY: $(GOALS)
# All goals in one inner make; the first one carries them, the others wait for it.
$(firstword $(GOALS)):
	+@$(AGAIN) $(GOALS)

ifneq ($(wordlist 2,99,$(GOALS)),)
$(wordlist 2,99,$(GOALS)): $(firstword $(GOALS)) ; @:
endif

endif

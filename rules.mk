# How things are built; only ever read inside a userland with ULFM (see Makefile).

include config.mk

# Where all of it goes; `make -f FOLDER/Makefile` elsewhere sets BUILD_ROOT, and a user may set BUILD.
BUILD_ROOT := build
BUILD      := $(BUILD_ROOT)/$(ROLLBENCH_ENV)

# The user's own compiler, below the MPI's wrapper.
ifeq ($(filter default undefined,$(origin CC)),)
export OMPI_CC  := $(CC)
export MPICH_CC := $(CC)
endif

# What is there of the libraries, asked in each make: the answer depends on variables and on files of others. Those that are
# not there are left out, with -DHAVE_NAME=0.
ifneq ($(ROLLBENCH_ENV),none)
ASKED := $(shell mkdir -p $(BUILD) && scripts/libraries "$(MPICC)" "$(CPPFLAGS)" "$(LDFLAGS)" $(BUILD)/libraries.mk && echo done)
ifneq ($(ASKED),done)
$(error scripts/libraries has failed, see above)
endif
include $(BUILD)/libraries.mk
ifneq ($(WITHOUT_REQUIRED),)
$(error neither $(or $(PKG_CONFIG),pkg-config) nor $(MPICC) finds:$(WITHOUT_REQUIRED:%= %); install the development packages (names in configs/packages.txt), or name \
their folders: PKG_CONFIG_PATH, CPPFLAGS, LDFLAGS)
endif
endif
without = $(filter $(1),$(WITHOUT_OPTIONAL))

# Not pmix_LIBS: the MPI loads its own (harness/rank/detector.c).
LIBS := $(hwloc_LIBS) $(jansson_LIBS) $(fyaml_LIBS) $(papi_LIBS) $(cpupower_LIBS) $(isal_LIBS) $(xxhash_LIBS) -lm -ldl
LIB_CFLAGS := $(sort $(foreach name,hwloc jansson xxhash fyaml papi cpupower isal pmix simgrid cmocka,$($(name)_CFLAGS)))
# No object names the folder that it was made in: two clones of a commit give the same bits.
MAPS := $(if $(word 2,$(CURDIR)),,-ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(BUILD))=build)
ALLFLAGS = -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) $(HAVE) $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(WARNINGS) $(MAPS)
LINK = $(MPICC) $(CFLAGS) $(LDFLAGS)
LINK_WITHOUT_MPI = $(CC) $(CFLAGS) $(LDFLAGS)

# Of two files of which one stands in for a library.
LEFT_OUT := harness/options/$(if $(call without,fyaml),yaml.c,yaml_without.c) \
            harness/machine/power/$(if $(call without,cpupower),power_dvfs.c,power_without_dvfs.c) \
            harness/rank/$(if $(call without,pmix),detector.c,detector_without_pmix.c) \
            $(addprefix harness/machine/meter/,$(if $(call without,papi),meter_papi.c meter_counts.c meter_set.c,meter_without_papi.c))
SOURCES := $(filter-out forecast/simgrid/% harness/cli/main_simgrid.c harness/rank/main.c harness/doctor/ulfm_probe.c $(LEFT_OUT),$(sort $(wildcard base/*.c \
             contract/*.c kernels/*.c kernels/*/*.c ft/*.c ft/*/*.c inject/*.c profile/*.c profile/command/*.c forecast/*.c forecast/*/*.c \
             harness/*/*.c harness/kind/*/*.c harness/machine/*/*.c elc/core/log.c)))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/unit_*.c) tests/damage_copies.c tests/remake_record.c)
ORACLE  := $(wildcard tests/oracle/*.c)

# Programs that use SimGrid, where it is installed. Its library defines the functions of MPI, too (SMPI), so they are linked
# without MPI and only with those of our objects that need none.
SIMGRID := $(if $(call without,simgrid),,rollbench_simgrid tests/simgrid_check)
SIMGRID_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard forecast/simgrid/*.c))
SIMGRID_PROGRAMS := $(SIMGRID:%=$(BUILD)/%)

BENCHES := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))

export ROLLBENCH_BIN_DIR := $(BUILD)
# Nothing is written beside the sources.
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: all deps elc elc-mpich check coverage dist install-built test test-programs test-long test-exhaustive test-slurm run-all run-long figures-of-the-readme bench fuzz spec lint format install uninstall clean help
.DELETE_ON_ERROR:
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL: # `make -j clean all` cleans first
endif
.SECONDARY: $(TESTS:%=%.o)

# The library that is preloaded into programs to profile them. It has nothing of the rest but the text of a profile.
PRELOADED := $(patsubst %.c,$(BUILD)/%.pic.o,$(wildcard profile/preload/*.c) profile/profile.c profile/print.c \
	       base/error.c base/text.c base/whole.c base/build.c)

# Event-logging checkpoints: a library for programs that are not ours; of the rest it has only these.
ELC := $(sort $(wildcard elc/core/*.c elc/files/*.c)) base/whole.c base/crc.c base/text.c
ELC_SHARED := $(patsubst %.c,$(BUILD)/%.pic.o,$(ELC) base/build.c $(sort $(wildcard elc/mpi/*.c elc/refuse/*.c elc/wire/*.c)))
ELC_TESTS := $(patsubst tests/elc/%.c,$(BUILD)/tests/elc/%,$(wildcard tests/elc/*.c))
ELC_PROGRAMS := $(patsubst %,$(BUILD)/elc/programs/%,gauss_jordan matmul neurons disks)
# The kernels under the library: with what they need of the rest, and nothing of it uses MPI.
ELC_KERNEL := $(BUILD)/elc/programs/kernel
ELC_KERNEL_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard elc/kernel/*.c contract/*.c kernels/*.c kernels/*/*.c base/*.c)) \
                        elc/programs/common.c ft/log/arena.c)
# All of these without the library, for comparison.
ELC_SOURCES := $(ELC_PROGRAMS:$(BUILD)/elc/programs/%=$(BUILD)/elc/source/%)
ELC_KERNEL_SOURCE := $(BUILD)/elc/source/kernel
ELC_SHARE := $(addprefix elc/programs/,common.c common.h strips.c strips.h)

# With a second MPI, where Debian's MPICH is installed: to show that nothing of it depends on one.
MPICH := $(shell command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null && echo elc-mpich)

all: $(BUILD)/rollbench $(BUILD)/rollbench_worker $(BUILD)/librollbench_profile.so $(BUILD)/libelc.so $(ELC_PROGRAMS) $(ELC_KERNEL) $(ELC_SOURCES) $(ELC_KERNEL_SOURCE) $(BUILD)/ulfm_probe $(filter-out $(BUILD)/tests/%,$(SIMGRID_PROGRAMS))

deps:
	@echo "set-up is complete: $(ROLLBENCH_ENV) userland, $$($(MPICC) --version | head -n 1)"

# The tests are of everything, so they want every library.
FOR_TESTS := $(call without,fyaml papi isal cpupower pmix cmocka)
ifneq ($(FOR_TESTS),)
test-programs:
	@echo "the tests need libraries that are not there: $(FOR_TESTS); remedy: install them (names in configs/packages.txt)" >&2
	@exit 2
else
test-programs: all $(TESTS) $(BUILD)/tests/fuzz/fuzz.o $(BUILD)/tests/refuse_memory.so $(BUILD)/tests/die_in_mkdir.so $(BUILD)/tests/list_acknowledgements.so $(BUILD)/tests/mpi/calls $(BUILD)/tests/mpi/survives $(BUILD)/tests/mpi/detector $(ELC_TESTS) $(BENCHES) $(SIMGRID_PROGRAMS) $(MPICH)
endif

# More for pytest, for instance ARGS='-k torture'.
ARGS ?=
# Four at once: they often only wait for a process to start or to end.
PYTEST = python3 -m pytest -o cache_dir=$(BUILD_ROOT)/pytest -n 4 --maxschedchunk 1

test check: test-programs
	@$(PYTEST) $(ARGS)

# What the tests execute, with programs that count it, in a folder of their own. MAPS: the counters need names of files as they are.
COVERAGE := $(BUILD_ROOT)/coverage
coverage:
	@mkdir -p $(COVERAGE)
	@$(CC) -c -O2 -fPIC -Wall -Wextra -o $(COVERAGE)/dump_at_exit.o tests/dump_at_exit.c
	@$(MAKE) --no-print-directory BUILD=$(COVERAGE) CFLAGS="-O1 -g --coverage -fprofile-update=atomic" MAPS= \
		LDLIBS="$(LDLIBS) -Wl,--wrap=_exit $(abspath $(COVERAGE)/dump_at_exit.o)" test-programs
	@rm -rf $(COVERAGE)/data
	@ROLLBENCH_BIN_DIR=$(COVERAGE) $(PYTEST) --cover=$(COVERAGE)/data --deselect tests/unit_checkpoint_calls.c \
		--deselect tests/program/test_harness.py::test_a_limit_of_file_sizes_is_told $(ARGS); status=$$?; \
		scripts/coverage $(COVERAGE)/data $(COVERAGE) && exit $$status

elc: $(BUILD)/libelc.so $(ELC_PROGRAMS) $(ELC_TESTS)

elc-mpich:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-mpich MPICC=mpicc.mpich elc

test-long: test-programs
	@$(PYTEST) -m long $(ARGS)

test-exhaustive: all
	@tests/exhaustive

test-slurm: all
	@tests/slurm

run-all: all
	@PROFILE="$(PROFILE)" scripts/run-all

run-long: all
	@PROFILE=long scripts/run-all

# From the records in data/records; scripts/readme-figures --keep results renews these.
figures-of-the-readme:
	@scripts/readme-figures

# All of it again with the sanitizers, in a folder of its own.
SECONDS ?= 600
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
fuzz:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-sanitized CFLAGS="-O1 -g $(SANITIZE)" \
		$(BUILD)-sanitized/tests/fuzz/fuzz
	@tests/fuzz/fuzz $(BUILD)-sanitized/tests/fuzz/fuzz $(SECONDS)

bench: all $(BENCHES)
	@scripts/bench

spec:
	@spec/run

lint:
	@scripts/lint

format:
	@scripts/lint --format

# What is installed runs on other machines, too; `make install CFLAGS=...` has the user's flags.
ifeq ($(origin CFLAGS),file)
install:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-portable CFLAGS="$(PORTABLE_CFLAGS)" install-built
else
install: install-built
endif

install-built: all
	@MPICC="$(MPICC)" scripts/install "$(BUILD)" "$(DESTDIR)" "$(PREFIX)"

uninstall:
	@scripts/install --uninstall "$(DESTDIR)" "$(PREFIX)"

# The commit as a tarball, with its number in it.
dist:
	@scripts/dist "$(VERSION)" "$(BUILD_ROOT)"

# A folder that the user has named is removed only if it was made here.
clean:
	rm -rf $(if $(filter command,$(origin BUILD)),$(patsubst %/flags,%,$(wildcard $(BUILD)/flags)),$(BUILD_ROOT))

help:
	@echo "make run-all          the experiments, their figures and a report (results/report/report.html)"
	@echo "make run-long         what run-all has no time for: 25 kills a method, and large linear systems (about 40 minutes)"
	@echo "make run-all PROFILE=paper   the same at the papers' own sizes, for a cluster (results/paper)"
	@echo "make test             unit and whole-program tests (4 to 6 minutes on two cores); of one name: ARGS='-k NAME'"
	@echo "make test-long        the tests that take longest, marked long (about 25 minutes)"
	@echo "make test-exhaustive  every role x iteration x four phases x policy (about 90 minutes)"
	@echo "make test-slurm       a job under a real Slurm, where one is installed (tests/slurm)"
	@echo "make fuzz SECONDS=600 damaged experiment files and records, under ASan and UBSan"
	@echo "make bench            what protection costs, where the time goes, what got slower (results/bench; about an hour)"
	@echo "make elc-mpich        the library for event-logging checkpoints and its programs with MPICH (build/*-mpich)"
	@echo "make figures-of-the-readme   the figures of README.md and docs/ again, from what is kept in data/records and data/bench"
	@echo "make spec             model checking of the recovery protocol (about 4 minutes on two cores, 3 GB)"
	@echo "make deps             only the set-up: packages or root file system"
	@echo "make coverage         which lines the tests execute, by folder (scripts/coverage --help says more)"
	@echo "make lint             flake8, format, length and complexity of functions, which folder includes which"
	@echo "make format           all files of C as .clang-format says"
	@echo "make check            the same as make test"
	@echo "make dist             the commit as build/rollbench-$(VERSION).tar.gz"
	@echo "make install          below PREFIX (default /usr/local), for every processor; uninstall; DESTDIR=...; see docs/setup.md"
	@echo "make clean            remove what was built; results stay"
	@echo "MPICC=/path/mpicc     use that MPI (it must have ULFM); see docs/setup.md"
	@echo "CC CPPFLAGS CFLAGS LDFLAGS LDLIBS PKG_CONFIG as usual; WITHOUT=\"papi isal\" leaves out libraries that are optional:"
	@echo "                      fyaml papi isal cpupower pmix simgrid cmocka; BUILD=FOLDER, or make -f /path/Makefile: built elsewhere"

# The command has no MPI, so that it works where there is none: the linker refuses what would need it. (The address of SimGrid's engine is
# weak.) base/build.o is named, as nothing calls it.
$(BUILD)/rollbench: $(BUILD)/harness/cli/main.o $(BUILD)/base/build.o $(BUILD)/without_mpi.a | $(BUILD)/mpicc
	@echo "  LINK  $@"
	@$(LINK_WITHOUT_MPI) -o $@ $^ $(LIBS) $(LDLIBS)

$(BUILD)/rollbench_worker: $(BUILD)/harness/rank/main.o $(filter-out $(BUILD)/harness/cli/main.o,$(OBJECTS))
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ $(LIBS) $(LDLIBS)

$(BUILD)/ulfm_probe: $(BUILD)/harness/doctor/ulfm_probe.o $(BUILD)/harness/machine/network.o $(BUILD)/base/build.o
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ $(LDLIBS)

# Bound at load: nothing is looked up in the first call of a function.
$(BUILD)/librollbench_profile.so: $(PRELOADED)
	@echo "  LINK  $@"
	@$(LINK) -shared -Wl,-z,now -o $@ $^ -lpthread $(LDLIBS)

$(BUILD)/libelc.so: $(ELC_SHARED)
	@echo "  LINK  $@"
	@$(LINK) -shared -Wl,-z,now -Wl,--exclude-libs,ALL -Wl,-soname,libelc.so.$(ELC_ABI) -o $@ $^ $(isal_LIBS) $(LDLIBS)
	@ln -sf libelc.so $@.$(ELC_ABI)

$(BUILD)/%.pic.o: %.c config.mk rules.mk $(BUILD)/flags | $(BUILD)/build_info.h
	@mkdir -p $(@D)
	@echo "  CC    $< (shared)"
	@$(MPICC) $(ALLFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(BUILD)/bench/elc_core: $(BUILD)/bench/elc_core.o $(ELC:%.c=$(BUILD)/%.o)
	@echo "  LINK  $@"
	@$(LINK_WITHOUT_MPI) -o $@ $^ $(isal_LIBS) $(LDLIBS)

$(BUILD)/bench/profile: $(BUILD)/bench/profile.o $(PRELOADED)
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ -lpthread $(LDLIBS)

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(filter-out $(BUILD)/harness/cli/main.o,$(OBJECTS))
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ $(LIBS)

$(BUILD)/tests/mpi/detector: $(BUILD)/tests/mpi/detector.o $(filter-out $(BUILD)/harness/cli/main.o,$(OBJECTS))
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ $(LIBS)

# Programs as users have them: with nothing of ours.
$(BUILD)/tests/mpi/%: tests/mpi/%.c rules.mk
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(MPICC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -o $@ $<

# Programs as users of libelc have them: linked with it, or with it preloaded.
$(BUILD)/tests/elc/%: tests/elc/%.c elc/elc.h $(BUILD)/libelc.so rules.mk
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(MPICC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I. -o $@ $< $(BUILD)/libelc.so -Wl,-rpath,'$$ORIGIN/../..'

$(ELC_PROGRAMS): $(BUILD)/elc/programs/%: elc/programs/%.c $(ELC_SHARE) elc/elc.h $(BUILD)/libelc.so rules.mk $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(LINK) -std=c11 $(CPPFLAGS) $(WARNINGS) $(MAPS) -I. -o $@ $(filter %.c,$^) $(BUILD)/libelc.so -Wl,-rpath,'$$ORIGIN/../..' -lm $(LDLIBS)

$(ELC_KERNEL): $(ELC_KERNEL_OBJECTS) $(BUILD)/libelc.so
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ -Wl,-rpath,'$$ORIGIN/../..' $(xxhash_LIBS) $(isal_LIBS) -lm $(LDLIBS)

$(ELC_KERNEL_SOURCE): $(ELC_KERNEL_OBJECTS) $(BUILD)/elc/programs/none.o
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ $(xxhash_LIBS) $(isal_LIBS) -lm $(LDLIBS)

$(BUILD)/bench/elc_calls $(BUILD)/bench/elc_sizes: $(BUILD)/bench/%: bench/%.c elc/elc.h $(BUILD)/libelc.so rules.mk $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(LINK) -std=c11 -D_GNU_SOURCE $(CPPFLAGS) $(WARNINGS) $(MAPS) -I. -o $@ $< $(BUILD)/libelc.so -Wl,-rpath,'$$ORIGIN/..'

$(BUILD)/bench/repair: bench/repair.c rules.mk $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(LINK) -std=c11 -D_GNU_SOURCE $(CPPFLAGS) $(WARNINGS) -o $@ $<

$(ELC_SOURCES): $(BUILD)/elc/source/%: elc/programs/%.c $(ELC_SHARE) elc/elc.h elc/programs/none.c rules.mk $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(LINK) -std=c11 $(CPPFLAGS) $(WARNINGS) $(MAPS) -I. -o $@ $(filter %.c,$^) -lm $(LDLIBS)

# A rule of their own for each, since make would take another pattern while an object of a new source is not there.
$(filter $(BUILD)/tests/unit_elc_%,$(TESTS)): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(ELC:%.c=$(BUILD)/%.o)
	@echo "  LINK  $@"
	@$(LINK_WITHOUT_MPI) -o $@ $^ $(cmocka_LIBS) $(isal_LIBS) $(LDLIBS)

$(BUILD)/tests/%.so: tests/%.c rules.mk
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) -O2 -Wall -Wextra -Werror -shared -fPIC -o $@ $<

# Of these, the linker takes what is needed.
$(BUILD)/without_mpi.a: $(filter-out $(BUILD)/harness/cli/main.o $(BUILD)/harness/rank/%,$(OBJECTS))
	@echo "  AR    $@"
	@rm -f $@
	@$(AR) rcs $@ $^

$(BUILD)/rollbench_simgrid.o: $(BUILD)/harness/cli/main_simgrid.o
	@cp $< $@

# What tests hold the simulator against; the program takes nothing of it.
$(BUILD)/tests/oracle.a: $(ORACLE:%.c=$(BUILD)/%.o)
	@echo "  AR    $@"
	@rm -f $@
	@$(AR) rcs $@ $^

$(SIMGRID_PROGRAMS): $(BUILD)/%: $(BUILD)/%.o $(SIMGRID_OBJECTS) $(BUILD)/tests/oracle.a $(BUILD)/without_mpi.a
	@echo "  LINK  $@"
	@$(LINK_WITHOUT_MPI) -o $@ $^ $(simgrid_LIBS) $(LIBS) $(LDLIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/tests/oracle.a $(filter-out $(BUILD)/harness/cli/main.o,$(OBJECTS))
	@echo "  LINK  $@"
	@$(LINK) -o $@ $^ $(cmocka_LIBS) $(LIBS) $(LDLIBS)

$(BUILD)/%.o: %.c config.mk rules.mk $(BUILD)/flags | $(BUILD)/build_info.h
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(MPICC) $(ALLFLAGS) -MMD -MP -c -o $@ $<

# Choices between two sums can be made in vectors only if no sum has to be left out. Nobody looks at floating point exceptions here.
# Vectors are arguments only within a file, so it does not matter how processors without them pass them on.
$(BUILD)/forecast/fast/%.o: private ALLFLAGS += -fno-trapping-math -Wno-psabi

# Products and sums are not contracted, whatever the compiler does by itself (GCC does not with -std=c11, clang does): then builds for all processors, and
# loops of which an address decides what is done in vectors, have the same results.
$(BUILD)/kernels/%.o $(BUILD)/tests/unit_cg_%.o $(BUILD)/tests/unit_jacobi_%.o $(BUILD)/tests/unit_lulesh_%.o: private ALLFLAGS += -ffp-contract=off -Wno-psabi

# Square roots of vectors are one instruction if nobody asks for errno: no result depends on it.
$(BUILD)/kernels/lulesh/%.o $(BUILD)/tests/unit_lulesh_%.o: private ALLFLAGS += -fno-trapping-math -fno-math-errno -fopenmp-simd

# These report the commit, the libraries or the processor, so they follow build_info.h.
$(BUILD)/harness/record/host.o $(BUILD)/harness/cli/main.o $(BUILD)/base/build.o $(BUILD)/base/build.pic.o: $(BUILD)/build_info.h

# It runs before it is known that this processor has what the others were compiled for. (private: not for what it is made of.)
$(BUILD)/base/build.o $(BUILD)/base/build.pic.o: private override CFLAGS := $(filter-out -m%,$(CFLAGS)) $(filter -m32 -m64,$(CFLAGS))

# Both are rewritten only when something in them changes. No object may be left over from other
# flags or another compiler than the records will name.
.PHONY: always
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@{ $(MPICC) --version | head -n 1; echo '$(MPICC) $(filter-out -ffile-prefix-map=%,$(ALLFLAGS)) $(LDFLAGS) $(LIBS) $(LDLIBS)'; } > $@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

$(BUILD)/build_info.h: always
	@mkdir -p $(@D)
	@scripts/build-info "$(MPICC)" "$(CFLAGS)" "$(VERSION)" "$(LIBRARIES)" > $@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

# Which MPI a built tree starts its jobs with (./rollbench).
$(BUILD)/mpicc: always
	@command -v "$(MPICC)" > $@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

-include $(OBJECTS:.o=.d) $(PRELOADED:.o=.d) $(ELC_SHARED:.o=.d) $(ELC:%.c=$(BUILD)/%.d) $(ELC_KERNEL_OBJECTS:.o=.d) $(TESTS:%=%.d) $(BUILD)/tests/mpi/detector.d $(BUILD)/harness/doctor/ulfm_probe.d $(BUILD)/harness/rank/main.d $(BENCHES:%=%.d) \
         $(SIMGRID_OBJECTS:.o=.d) $(SIMGRID_PROGRAMS:%=%.d) $(BUILD)/harness/cli/main_simgrid.d

# The user's switches. Override on the command line (make CFLAGS=-O2) or edit here; everything
# that is compiled depends on this file.

# MPI compiler wrapper: any with ULFM (Open MPI 5). Setting it makes the build native.
MPICC ?= mpicc

# Results must repeat bit for bit with one binary, so nothing that reorders floating point
# arithmetic at run time: no -ffast-math.
CFLAGS ?= -O3 -march=native -g

# Of `make install`, unless CFLAGS are given: for every processor of the architecture.
PORTABLE_CFLAGS ?= -O3 -g

# For the preprocessor, for the linker, and what to link with at the end.
CPPFLAGS ?=
LDFLAGS ?=
LDLIBS ?=

# Warnings are errors in continuous integration only: a newer compiler must not stop a user.
WARNINGS = -Wall -Wextra -Wpedantic
ifdef CI
WARNINGS += -Werror
endif

# The release; CITATION.cff has it, too.
VERSION := 0.1.0

# Of libelc.so: another number when a program that was linked with the one before could not use it any more.
ELC_ABI := 0

# Where `make install` puts things; DESTDIR goes before it.
PREFIX ?= /usr/local

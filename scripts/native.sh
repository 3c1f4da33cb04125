# Native userland: Debian 13, or any mpicc with ULFM. Sourced by with-env.

# Does this compiler wrapper build a ULFM program? Asked of the compiler, not of a version string;
# the answer is kept for as long as the wrapper does not change.
has_ulfm() {
	wrapper=$(command -v "$1") || return 1
	stamp=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/rollbench/ulfm-$(printf '%s' "$wrapper" | cksum | cut -d' ' -f1)
	[ ! "$stamp" -nt "$wrapper" ] || return 0
	probe=$(mktemp -d)
	printf '%s\n' '#include <mpi.h>' '#include <mpi-ext.h>' \
		'int main(void) { return MPIX_Comm_revoke(MPI_COMM_WORLD); }' >"$probe/probe.c"
	if "$wrapper" -o "$probe/probe" "$probe/probe.c" 2>/dev/null; then
		answer=0
		mkdir -p "$(dirname "$stamp")" 2>/dev/null && touch "$stamp" 2>/dev/null || true
	else
		answer=1
	fi
	rm -rf "$probe"
	return "$answer"
}

# With somebody's own MPI the other libraries need not be Debian's: look for each by its header.
check_libraries() {
	missing=
	for pair in hwloc:hwloc.h jansson:jansson.h libcyaml:cyaml/cyaml.h papi:papi.h \
		ISA-L:isa-l/crc.h xxHash:xxhash.h cmocka:cmocka.h; do
		echo "#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <${pair#*:}>" | "$1" -E -x c - >/dev/null 2>&1 || missing="$missing ${pair%%:*}"
	done
	[ -z "$missing" ] || fail "the compiler $1 does not find:$missing
install their development packages (names in configs/packages.txt) or add their folders to CPATH
and LIBRARY_PATH"
}

missing_packages() {
	for package in $(package_list); do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
			printf '%s ' "$package"
	done
}

# One dpkg question instead of twenty, for the common case that nothing is missing.
all_packages_here() {
	# shellcheck disable=SC2046 # one word a package
	[ "$(dpkg-query -W -f '${Status}\n' $(package_list) 2>/dev/null |
		grep -c 'ok installed')" -eq "$(package_list | wc -l)" ]
}

# 0: usable (now). 1: this machine cannot be native.
native_ready() {
	if [ "$(debian_release)" = 13 ]; then
		all_packages_here || install_native
		return 0
	fi
	has_ulfm mpicc || return 1
	check_libraries mpicc
}

install_native() {
	missing=$(missing_packages)
	am_root || fail "these packages are missing; have them installed by root, then try again:
  apt-get install --no-install-recommends $missing"
	say "installing packages (about two minutes): $missing"
	apt_quietly apt-get update || fail "apt-get update failed: is there a network?"
	# shellcheck disable=SC2086
	apt_quietly apt-get install -y --no-install-recommends $missing ||
		fail "apt-get could not install the packages (see above)"
	say "packages are installed"
}

# shellcheck shell=sh
# Native userland: Debian 13, or any mpicc with ULFM. Sourced by with-env.
: "${root:?}"

# Where an answer about a compiler wrapper is kept, for as long as the wrapper does not change.
# usage: answer_file WHAT WRAPPER
answer_file() {
	printf '%s/rollbench/%s-%s' "${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}" "$1" \
		"$({ echo "$2 ${CPATH:-} ${LIBRARY_PATH:-} ${OMPI_CC:-} $(command -v "${OMPI_CC:-gcc}")" &&
			stat -L -c '%i %s %Z' "$2"; } | cksum | tr ' ' -)"
}

keep_answer() { # usage: keep_answer FILE ANSWER
	{ mkdir -p "$(dirname "$1")" && echo "$2" >"$1"; } 2>/dev/null || true
}

# Does this compiler wrapper build a ULFM program? Asked of the compiler, not of a version string. If
# not, $said is its answer.
has_ulfm() {
	wrapper=$(command -v "$1") || return 1
	file=$(answer_file ulfm "$wrapper")
	# A no to somebody's own choice is asked again: the next module load may mend it.
	case $(cat "$file" 2>/dev/null)${MPICC:-} in
	yes*) return 0 ;;
	no) return 1 ;;
	esac
	probe=$(mktemp -d)
	printf '%s\n' '#include <mpi.h>' '#include <mpi-ext.h>' \
		'int main(void) { return MPIX_Comm_revoke(MPI_COMM_WORLD); }' >"$probe/probe.c"
	answer=yes
	said=$("$wrapper" -o "$probe/probe" "$probe/probe.c" 2>&1) || answer=no
	rm -rf "$probe"
	keep_answer "$file" "$answer"
	[ "$answer" = yes ]
}

# Is the compiler that the wrapper calls on this machine?
has_compiler() {
	# shellcheck disable=SC2046 # its first word
	set -- $("$1" -show 2>/dev/null)
	command -v "${1:-}" >/dev/null
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
		# Debian's own tools are the ones that have these packages, whatever else is on the PATH.
		PATH=/usr/bin:$PATH
		return 0
	fi
	has_ulfm mpicc
}

install_native() {
	am_root || fail "these packages are missing; have them installed by root, then try again:
  apt-get install --no-install-recommends $(missing_packages)
(or set MPICC=mpicc to use whatever MPI and libraries are here)"
	mkdir -p /var/lib/rollbench
	lock /var/lib/rollbench/packages.lock
	missing=$(missing_packages)
	if [ -n "$missing" ]; then
		say "installing packages (about two minutes): $missing"
		host_lists
		# shellcheck disable=SC2086 # one word a package
		quietly "$root/scripts/apt-install" $missing ||
			fail "apt-get could not install the packages (see above): is there a network?"
		say "packages are installed"
	fi
	unlock
}

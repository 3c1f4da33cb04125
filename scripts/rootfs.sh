# shellcheck shell=sh
# A Debian 13 root file system for hosts whose own MPI has no ULFM. Sourced by with-env.
#
# Stages, each marked by a stamp, so that an interrupted set-up goes on where it stopped:
# 1 debootstrap, 2 packages. Found again by later clones; outside the checkout.
: "${root:?}"

shared_rootfs=/var/lib/rollbench/trixie

list_id() {
	package_list | cksum | tr ' ' -
}

is_ready() {
	[ -f "$1/.rollbench/packages" ] && [ "$(cat "$1/.rollbench/packages")" = "$(list_id)" ]
}

rootfs_ready() {
	is_ready "$rootfs"
}

choose_rootfs() {
	if [ -n "${ROLLBENCH_ROOTFS:-}" ]; then
		rootfs=$(readlink -m "$ROLLBENCH_ROOTFS")
	elif am_root || is_ready "$shared_rootfs"; then
		rootfs=$shared_rootfs
	else
		rootfs=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/rollbench/trixie
	fi
}
choose_rootfs

# The machine's own main Debian mirror, as its apt knows it.
mirror() {
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' |
		awk -F'|' '$1 == "Debian" && $2 == "Debian" && $3 == "main" && $4 !~ /-/ { print $5; exit }'
}

rootfs_prepare() {
	am_root || fail "this machine's MPI has no ULFM, and preparing a Debian 13 root file system needs
root. Either have root run \`make deps\` once (it makes $shared_rootfs, which is then
found), or set MPICC to an Open MPI 5 built with --with-ft."
	command -v apt-get >/dev/null || fail "this machine's MPI has no ULFM, and it has no apt-get to prepare a
Debian 13 root file system with; set MPICC to an Open MPI 5 built with --with-ft."
	# What is in the folder will be deleted when debootstrap starts over, so it must be ours.
	if [ ! -d "$rootfs/.rollbench" ] && [ -n "$(ls -A "$rootfs" 2>/dev/null)" ]; then
		fail "$rootfs is neither empty nor a root file system made here; set
ROLLBENCH_ROOTFS to a new or empty folder"
	fi
	mkdir -p "$rootfs/.rollbench"
	lock "$rootfs.lock"
	if ! rootfs_ready; then
		say "preparing a Debian 13 root file system in $rootfs (once, 2 to 4 minutes, 1.8 GB)"
		[ -f "$rootfs/.rollbench/base" ] || stage_base
		stage_packages
		say "the root file system is ready"
	fi
	unlock
}

stage_base() {
	say "[1/2] base system"
	host_lists
	if ! command -v debootstrap >/dev/null; then
		quietly "$root/scripts/apt-install" debootstrap ||
			fail "apt-get could not install debootstrap (see above): is there a network?"
	fi
	source=$(mirror)
	[ -n "$source" ] || fail "apt knows no Debian mirror (component main) here; add one to its sources"
	mkdir -p "$rootfs/.rollbench/debs"
	# debootstrap mounts /proc in there; in a namespace of its own, nothing stays if it is killed.
	# shellcheck disable=SC2016 # for the inner shell to expand
	quietly unshare -m --propagation unchanged sh -c '
		set -eu
		mount --make-rprivate / 2>/dev/null || true
		cd "$1"
		for left in proc sys dev; do
			! mountpoint -q "$left" || umount -l "$left"
		done
		# Nothing half-made is built upon; the packages already fetched are kept.
		find . -xdev -mindepth 1 ! -path ./.rollbench ! -path "./.rollbench/*" -delete
		exec debootstrap --variant=minbase --include=ca-certificates \
			--cache-dir="$1/.rollbench/debs" trixie "$1" "$2"' sh "$rootfs" "$source" ||
		fail "debootstrap failed (see above): is there a network? Run the command again to resume"
	apt-config dump | grep -iE '^Acquire::[a-z]+::Proxy' >"$rootfs/etc/apt/apt.conf.d/90host-proxy" || true
	touch "$rootfs/.rollbench/base"
	rm -rf "$rootfs/.rollbench/debs"
}

stage_packages() {
	say "[2/2] compiler, MPI, libraries, plotting"
	# In a subshell, since entering ends in exec.
	quietly inside apt-get update ||
		fail "apt-get update failed inside the root file system (see above): is there a network?"
	# shellcheck disable=SC2046 # one word a package
	quietly inside "$root/scripts/apt-install" $(package_list) ||
		fail "installing packages failed (see above); run the command again to resume"
	inside apt-get clean
	list_id >"$rootfs/.rollbench/packages"
}

inside() (
	cd /
	rootfs_enter "$@"
)

# Replace this process by the command inside the root file system. The mount namespace is private:
# no mount outlives the command. The host's own folders appear at the same paths.
rootfs_enter() {
	export ROLLBENCH_ENV=rootfs
	# The host's own programs and libraries may lie in folders that are visible inside, too (a
	# Python under /root, say); inside, only the root file system's are to be used.
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export PATH
	unset LD_LIBRARY_PATH LD_PRELOAD LIBRARY_PATH CPATH C_INCLUDE_PATH PKG_CONFIG_PATH \
		CC CPPFLAGS LDFLAGS LDLIBS PYTHONHOME PYTHONPATH OPAL_PREFIX
	flags=-m
	am_root || flags=-Urm
	exec unshare "$flags" --propagation unchanged "$root/scripts/enter-rootfs" "$rootfs" "$root" "$PWD" "$@"
}

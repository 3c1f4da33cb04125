# A Debian 13 root file system for hosts whose own MPI has no ULFM. Sourced by with-env.
#
# Stages, each marked by a stamp, so that an interrupted set-up goes on where it stopped:
# 1 debootstrap, 2 packages. Found again by later clones; outside the checkout.

shared_rootfs=/var/lib/rollbench/trixie # made by root, usable by all
if am_root || [ -f "$shared_rootfs/.rollbench/packages" ]; then
	default_rootfs=$shared_rootfs
else
	default_rootfs=${XDG_CACHE_HOME:-$HOME/.cache}/rollbench/trixie
fi
rootfs=${ROLLBENCH_ROOTFS:-$default_rootfs}

list_id() {
	package_list | cksum | tr ' ' -
}

rootfs_ready() {
	[ -f "$rootfs/.rollbench/packages" ] && [ "$(cat "$rootfs/.rollbench/packages")" = "$(list_id)" ]
}

# The machine's own main Debian mirror, as its apt knows it.
mirror() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' |
		awk -F'|' '$1 == "Debian" && $2 == "Debian" && $3 == "main" && $4 !~ /-/ { print $5; exit }'
}

rootfs_prepare() {
	am_root || fail "this machine's MPI has no ULFM, and preparing a Debian 13 root file system needs
root. Either have root run \`make deps\` once (it makes $shared_rootfs), or set MPICC to an Open MPI 5 built with --with-ft."
	command -v apt-get >/dev/null || fail "this machine's MPI has no ULFM, and it has no apt-get to prepare a
Debian 13 root file system with; set MPICC to an Open MPI 5 built with --with-ft."
	# Stage 1 starts from an empty folder; somebody else's folder must not be emptied for that.
	if [ ! -e "$rootfs.lock" ] && [ -n "$(ls -A "$rootfs" 2>/dev/null)" ]; then
		fail "$rootfs is not empty and was not made by this set-up; point ROLLBENCH_ROOTFS at a new folder"
	fi
	mkdir -p "$rootfs"
	exec 9>"$rootfs.lock"
	if ! flock -n 9; then
		say "another set-up of $rootfs is under way; waiting for it"
		flock 9
	fi
	if ! rootfs_ready; then
		say "preparing a Debian 13 root file system in $rootfs (once, 2 to 4 minutes, 1.8 GB)"
		[ -f "$rootfs/.rollbench/base" ] || stage_base
		stage_packages
		say "the root file system is ready"
	fi
	exec 9>&-
}

stage_base() {
	say "[1/2] base system"
	apt_quietly apt-get update || fail "apt-get update failed: is there a network?"
	if ! command -v debootstrap >/dev/null; then
		apt_quietly apt-get install -y --no-install-recommends debootstrap ||
			fail "apt-get could not install debootstrap"
	fi
	source=$(mirror)
	[ -n "$source" ] || fail "apt knows no Debian mirror (component main) here; add one to its sources"
	# Nothing half-made is built upon; the packages already fetched are kept aside.
	cache=$rootfs.debs
	mkdir -p "$cache"
	find "$rootfs" -xdev -mindepth 1 -delete
	apt_quietly debootstrap --variant=minbase --include=ca-certificates --cache-dir="$cache" trixie \
		"$rootfs" "$source" || fail "debootstrap failed (see above); run the command again to resume"
	mkdir -p "$rootfs/.rollbench"
	apt-config dump | grep -iE '^Acquire::[a-z]+::Proxy' >"$rootfs/etc/apt/apt.conf.d/90host-proxy" || true
	touch "$rootfs/.rollbench/base"
	rm -rf "$cache"
}

stage_packages() {
	say "[2/2] compiler, MPI, libraries, plotting"
	# In a subshell, since entering ends in exec.
	apt_quietly inside sh -c 'dpkg --configure -a && apt-get update' ||
		fail "apt-get update failed inside the root file system: is there a network?"
	# shellcheck disable=SC2046
	apt_quietly inside apt-get install -y --no-install-recommends $(package_list) ||
		fail "installing packages failed (see above); run the command again to resume"
	inside apt-get clean
	list_id >"$rootfs/.rollbench/packages"
}

inside() (
	ROLLBENCH_ENV=rootfs
	cd /
	rootfs_enter "$@"
)

# Replace this process by the command inside the root file system. The mount namespace is private:
# no mount outlives the command. The host's own folders appear at the same paths.
rootfs_enter() {
	ROLLBENCH_ENV=rootfs
	export ROLLBENCH_ENV
	# The checkout belongs to whoever cloned it; that must not keep git from naming the commit.
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
	export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0
	# The host's own programs and libraries may lie in folders that are visible inside, too (a
	# Python under /root, say); inside, only the root file system's are to be used.
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export PATH
	unset LD_LIBRARY_PATH LD_PRELOAD PYTHONPATH PYTHONHOME CPATH LIBRARY_PATH PKG_CONFIG_PATH
	flags=-m
	am_root || flags=-Urm
	exec unshare "$flags" --propagation unchanged "$root/scripts/enter-rootfs" "$rootfs" "$root" "$PWD" "$@"
}

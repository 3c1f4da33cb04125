# shellcheck shell=sh
# Shared by the set-up scripts; sourced, never run. $root is the checkout.
: "${root:?}"

say() {
	printf 'rollbench set-up: %s\n' "$*" >&2
}

fail() {
	printf 'rollbench set-up: %s\n' "$*" >&2
	exit 2
}

am_root() {
	[ "$(id -u)" -eq 0 ]
}

package_list() {
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/configs/packages.txt"
}

debian_release() { # "12", "13" or "" where this is not Debian
	(. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_ID:-}") || true
}

# Hold the lock named by the file until unlock or the end; children hold it too, so that a set-up
# that was killed is waited for until its last process is gone.
lock() {
	exec 9>"$1"
	flock -n 9 && return 0
	say "another set-up ($1) is under way; waiting for it"
	flock 9
}

unlock() {
	exec 9>&-
}

# Run a command quietly, but let people see that something goes on and, on failure, what it said.
quietly() {
	log=$(mktemp)
	begin=$(date +%s)
	DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null &
	job=$!
	trap 'kill "$job" 2>/dev/null; rm -f "$log"; exit 130' HUP INT TERM
	while kill -0 "$job" 2>/dev/null; do
		sleep 1
		now=$(($(date +%s) - begin))
		[ $((now % 10)) -ne 0 ] || say "  ... ${now} s: $(tail -n 1 "$log" | cut -c1-90)"
	done
	status=0
	wait "$job" || status=$?
	trap - HUP INT TERM
	[ "$status" -eq 0 ] || tail -n 15 "$log" >&2
	rm -f "$log"
	return "$status"
}

# Update the host's package lists. A source that has nothing to do with Debian may be out of
# order; whether the rest suffices shows in the step that follows.
host_lists() {
	quietly apt-get update || say "apt-get update failed (see above); trying with what is there"
}

# The checkout belongs to whoever cloned it; that must not keep git from naming the commit.
trust_checkout() {
	n=${GIT_CONFIG_COUNT:-0}
	export GIT_CONFIG_COUNT=$((n + 1)) "GIT_CONFIG_KEY_$n=safe.directory" \
		"GIT_CONFIG_VALUE_$n=$root"
}
